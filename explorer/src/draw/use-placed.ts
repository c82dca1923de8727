/** The layout of a picture's boxes, computed beside the page. */

import { type RefObject, useEffect, useMemo, useState } from "react";

import { anchored, type Box, type Placed } from "../layout/boxes";
import { place } from "../layout/place";

/** The layout of the boxes; the `last` one stays until the next is there, and the anchor stays where it was. */
export function usePlaced(
  boxes: readonly Box[],
  arrows: readonly { from: string; to: string }[],
  anchor: string,
  last: RefObject<Placed | null>,
  perRow: number,
): { placed: Placed | null; isCurrent: boolean } {
  const [{ placed, of }, setPlaced] = useState<{ placed: Placed | null; of: string }>({ placed: null, of: "" });
  const key = useMemo(
    () =>
      JSON.stringify([
        boxes.map(({ id, width, height }) => [id, width, height]).sort(),
        arrows.map(({ from, to }) => [from, to]).sort(),
        perRow,
      ]),
    [boxes, arrows, perRow],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says all that the layout depends on
  useEffect(() => {
    if (!boxes.length) return;
    const stop = new AbortController();
    const { at = {}, lanes = {} } = last.current ?? {};
    // The heights of rows say nothing of a rank.
    const isOfRows = perRow > 0 || Object.keys(lanes).length > 0;
    const heights = isOfRows ? {} : Object.fromEntries(Object.entries(at).map(([id, { y }]) => [id, y]));
    place(
      {
        boxes: boxes.map(({ id, width, height, isLast = false }) => ({ id, width, height, isLast })),
        arrows: arrows.map(({ from, to }) => ({ from, to })),
        last: heights,
        perRow,
      },
      stop.signal,
    )
      .then((layout) => {
        last.current = anchored(layout, anchor, last.current?.at[anchor]);
        setPlaced({ placed: last.current, of: key });
      })
      .catch((error: unknown) => {
        if (!stop.signal.aborted) throw error;
      });
    return () => stop.abort();
  }, [key]);
  return { placed, isCurrent: of === key };
}
