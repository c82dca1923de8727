/** Rows of a long way: its ranks go on in a lower row, as words in a text. */

import type { Placed, Point, Task } from "./boxes";

// Between two rows; the lines to the lower row run in the middle.
const GAP = 72;

/** Break a layout into rows of `perRow` ranks; `ranks` has the ids of each rank. */
export function inRows(placed: Placed, ranks: readonly string[][], { boxes, arrows, perRow = 0 }: Task): Placed {
  if (!perRow || ranks.length <= perRow) return placed;
  const heights = new Map(boxes.map(({ id, height }) => [id, height]));
  const rowOf = new Map(ranks.flatMap((ids, rank) => ids.map((id) => [id, Math.floor(rank / perRow)] as const)));
  const moves: { dx: number; dy: number; top: number }[] = [];
  let top = 0;
  for (let first = 0; first < ranks.length; first += perRow) {
    const ids = ranks.slice(first, first + perRow).flat();
    const ys = ids.map((id) => placed.at[id]!.y);
    const bottom = Math.max(...ids.map((id, index) => ys[index]! + heights.get(id)!));
    moves.push({ dx: -Math.min(...ids.map((id) => placed.at[id]!.x)), dy: top - Math.min(...ys), top });
    top += bottom - Math.min(...ys) + GAP;
  }
  const moved = (id: string, point: Point) => {
    const { dx, dy } = moves[rowOf.get(id) ?? 0]!;
    return { ...point, x: point.x + dx, y: point.y + dy };
  };
  const bends: Placed["bends"] = {},
    lanes: Placed["lanes"] = {};
  for (const { from, to } of arrows) {
    const key = `${from}→${to}`;
    const [row, last] = [rowOf.get(from) ?? 0, rowOf.get(to) ?? 0];
    if (row < last) lanes[key] = moves[last]!.top - GAP / 2;
    else bends[key] = (placed.bends[key] ?? []).map((point) => moved(from, point));
  }
  const at = Object.fromEntries(Object.entries(placed.at).map(([id, point]) => [id, moved(id, point)]));
  return { ...placed, at, bends, lanes };
}
