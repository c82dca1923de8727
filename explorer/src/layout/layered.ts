/**
 * The layered layout, from left to right (Sugiyama, Tagawa, Toda 1981): ranks, an order within each, heights.
 *
 * A box that has a place already keeps its height as well as it can: only new boxes push others aside.
 */

import { type Placed, RANK_GAP, type Task } from "./boxes";
import { heightsOf } from "./heights";
import { orderByCrossings, orderByHeights, sinkLast } from "./order";
import { type Cell, toLayers } from "./ranks";
import { inRows } from "./rows";

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
