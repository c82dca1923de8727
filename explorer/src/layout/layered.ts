/**
 * The layered layout, from left to right (Sugiyama, Tagawa, Toda 1981): ranks, an order within each, heights.
 *
 * A box that has a place already keeps its height as well as it can: only new boxes push others aside.
 */

import { type Placed, type Point, RANK_GAP, type Task } from "./boxes";
import { heightsOf } from "./heights";
import { orderByCrossings, orderByHeights, sinkLast } from "./order";
import { type Cell, toLayers } from "./ranks";

// A line is flat along the boxes of a rank, but for their ends. A small box is on the arrow before the box at its right.
const FLAT_LESS = 18,
  SMALL_MAX = 40,
  SMALL_GAP = 28;

export function layered(task: Task): Placed {
  const { layers, passes } = toLayers(task);
  const sizes = new Map(task.boxes.map((box) => [box.id, box]));
  const kept = new Map(
    layers.flat().flatMap((cell): [Cell, number][] => {
      const y = cell.isPass ? undefined : task.last[cell.id];
      return y === undefined ? [] : [[cell, y + cell.height / 2]];
    }),
  );
  if (kept.size) orderByHeights(layers, new Map(kept));
  else orderByCrossings(layers);
  sinkLast(layers, (cell) => !cell.isPass && sizes.get(cell.id)?.isLast === true);
  const middles = heightsOf(layers, kept);
  const at: Placed["at"] = {};
  const ranks: { x: number; half: number }[] = [];
  let x = 0;
  for (const layer of layers) {
    const width = Math.max(0, ...layer.map(({ id }) => sizes.get(id)?.width ?? 0));
    const isSmall = width <= SMALL_MAX;
    ranks.push({ x: x + width / 2, half: Math.max(width / 2 - FLAT_LESS, 1) });
    for (const cell of layer) {
      const box = sizes.get(cell.id);
      if (!cell.isPass && box) {
        const room = width - box.width;
        at[cell.id] = { x: x + (box.width <= SMALL_MAX ? room : room / 2), y: middles.get(cell)! - cell.height / 2 };
      }
    }
    x += width + (isSmall ? SMALL_GAP : RANK_GAP);
  }
  const bends = Object.fromEntries(
    [...passes].map(([key, cells]) => [key, cells.map((cell) => ({ ...ranks[cell.rank]!, y: middles.get(cell)! }))]),
  );
  const ids = layers.map((layer) => layer.filter(({ isPass }) => !isPass).map(({ id }) => id));
  return inRows({ at, bends, lanes: {} }, ids, task);
}

// Between two rows; the lines to the lower row run in the middle.
const GAP = 72;

/** Break a layout into rows of `perRow` ranks; `ranks` has the ids of each rank. */
function inRows(placed: Placed, ranks: readonly string[][], { boxes, arrows, perRow = 0 }: Task): Placed {
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
