/** The keys of the columns. */

import { useLocation } from "wouter";

import { findBeside, type Placed } from "../../layout/boxes";
import { datasetOf } from "../../url/ids";
import { mapLink } from "../../url/state";
import { rowY } from "./card";
import type { OpenColumns } from "./open-columns";
import type { ColumnsPicture } from "./picture";

export function useColumnsKeys({ state, picture, actions, layout }: OpenColumns) {
  const [, navigate] = useLocation();
  const { sel } = picture;
  const { node, at, vs } = state;
  const arrow = (event: KeyboardEvent) => {
    event.preventDefault();
    const next = walk(picture, layout.current, sel || node, event.key);
    if (!next) return;
    actions.choose(next);
    requestAnimationFrame(() =>
      document.querySelector<HTMLElement>(".row.is-selected")?.focus({ preventScroll: true }),
    );
  };
  return {
    ...{ ArrowLeft: arrow, ArrowRight: arrow, ArrowUp: arrow, ArrowDown: arrow },
    i: () => actions.to({ indirect: !state.indirect }),
    c: () => navigate(mapLink({ node: datasetOf(node), at, vs, sel: sel ? datasetOf(sel) : "" })),
  };
}

type Walked = Pick<ColumnsPicture, "cards" | "kept">;

/** The column that an arrow key leads to: along a line, or the next of its card, or of the card above or below. */
export function walk({ cards, kept }: Walked, placed: Placed | null, from: string, key: string): string | null {
  const card = cards.find(({ id }) => id === datasetOf(from));
  if (!placed || !card) return null;
  const index = card.columns.findIndex(({ id }) => id === from);
  if (index < 0) return card.columns[0]?.id ?? null;
  const isUp = key === "ArrowUp";
  if (isUp || key === "ArrowDown") {
    const beside = findBeside(placed, card.id, isUp);
    const others = cards.find(({ id }) => id === beside)?.columns;
    return (card.columns[index + (isUp ? -1 : 1)] ?? others?.at(isUp ? -1 : 0))?.id ?? null;
  }
  const [here, there] = key === "ArrowLeft" ? (["to", "from"] as const) : (["from", "to"] as const);
  const ends = kept.filter((line) => line[here] === from).map((line) => line[there]);
  const heights = new Map(
    cards.flatMap((other) =>
      other.columns.map(({ id }, row) => [id, placed.at[other.id]!.y + rowY(other, row)] as const),
    ),
  );
  const far = (id: string) => Math.abs(heights.get(id)! - heights.get(from)!);
  return ends.filter((id) => heights.has(id)).sort((a, b) => far(a) - far(b))[0] ?? null;
}
