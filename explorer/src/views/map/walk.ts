/** Where the arrow keys lead on a map. */

import { CARD } from "../../draw/card";
import type { Placed } from "../../layout/boxes";
import { drawnArrows, type Picture } from "../../model/hubs";

/** The node that an arrow key leads to: along an arrow, or the nearest above or below in the same rank. */
export function walk(shown: Picture, placed: Placed | null, from: string, key: string): string | null {
  const here = placed?.at[from];
  if (!placed || !here) return null;
  const far = (id: string) => Math.abs((placed.at[id]?.y ?? 0) - here.y);
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const next = drawnArrows(shown).flatMap((arrow) =>
      key === "ArrowLeft" ? (arrow.to === from ? [arrow.from] : []) : arrow.from === from ? [arrow.to] : [],
    );
    return next.sort((a, b) => far(a) - far(b))[0] ?? null;
  }
  const up = key === "ArrowUp";
  const rank = Object.entries(placed.at).filter(
    ([id, { x, y }]) => id !== from && Math.abs(x - here.x) < CARD.width / 2 && (up ? y < here.y : y > here.y),
  );
  return rank.sort(([a], [b]) => far(a) - far(b))[0]?.[0] ?? null;
}
