/**
 * The layered layout, from left to right (Sugiyama, Tagawa, Toda 1981): ranks, an order within each, heights.
 *
 * A placed box keeps its height where possible: only new boxes push others aside.
 */

import { type Placed, type Point, RANK_GAP, ROW_GAP, type Task } from "./boxes";
import { type Cell, toLayers } from "./ranks";

// A line is flat along the boxes of a rank, but for their ends. A small box is on the arrow to the box at its right.
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

const ROUNDS = 10;
// A long line is straight first, then boxes stand by their neighbours.
const STRAIGHT = 6;
const KEPT = 200;

/** Return the middle of each cell; cells in `kept` stay near their last height. */
function heightsOf(layers: readonly Cell[][], kept: ReadonlyMap<Cell, number>): Map<Cell, number> {
  const middles = new Map<Cell, number>();
  for (const layer of layers)
    settle(
      layer,
      middles,
      layer.map((cell) => ({ at: kept.get(cell) ?? 0, weight: kept.has(cell) ? KEPT : 0.01 })),
    );
  for (let round = 0; round < ROUNDS; round++) {
    const sides =
      round >= ROUNDS - 2
        ? (["before", "after"] as const)
        : round % 2 === 0
          ? (["before"] as const)
          : (["after"] as const);
    for (const layer of round % 2 === 0 ? layers : [...layers].reverse()) {
      settle(
        layer,
        middles,
        layer.map((cell) => wishOf(cell, sides, middles, kept)),
      );
    }
  }
  return middles;
}

interface Wish {
  at: number;
  weight: number;
}

function wishOf(
  cell: Cell,
  sides: readonly ("before" | "after")[],
  middles: ReadonlyMap<Cell, number>,
  kept: ReadonlyMap<Cell, number>,
): Wish {
  if (kept.has(cell)) return { at: kept.get(cell)!, weight: KEPT };
  let sum = 0,
    weight = 0;
  for (const side of sides) {
    for (const other of cell[side]) {
      const part = cell.isPass && other.isPass ? STRAIGHT : 1;
      sum += part * middles.get(other)!;
      weight += part;
    }
  }
  return weight ? { at: sum / weight, weight } : { at: middles.get(cell)!, weight: 0.1 };
}

/** Place a layer's cells in their order, with the least squared distances to their wishes (isotonic regression). */
function settle(layer: readonly Cell[], middles: Map<Cell, number>, wishes: readonly Wish[]): void {
  const offsets: number[] = [];
  layer.forEach((cell, index) => {
    const above = layer[index - 1];
    offsets.push(
      above
        ? offsets[index - 1]! +
            (above.height + cell.height) / 2 +
            (above.isPass && cell.isPass ? ROW_GAP / 4 : above.isPass || cell.isPass ? ROW_GAP / 2 : ROW_GAP)
        : 0,
    );
  });
  const blocks: { sum: number; weight: number; count: number }[] = [];
  wishes.forEach(({ at, weight }, index) => {
    let block = { sum: (at - offsets[index]!) * weight, weight, count: 1 };
    for (let last = blocks.at(-1); last && last.sum / last.weight >= block.sum / block.weight; last = blocks.at(-1)) {
      block = { sum: last.sum + block.sum, weight: last.weight + block.weight, count: last.count + block.count };
      blocks.pop();
    }
    blocks.push(block);
  });
  let index = 0;
  for (const { sum, weight, count } of blocks) {
    for (let end = index + count; index < end; index++) middles.set(layer[index]!, sum / weight + offsets[index]!);
  }
}

const SWEEPS = 48;
// Above so many cells a sweep costs too much to be tried often.
const LARGE = 1500;
const SWAPS_MAX = 400;

/** Order layers for few crossings: sweeps by the mean place of neighbours, then swaps in each rank. */
function orderByCrossings(layers: readonly Cell[][]): void {
  const size = layers.reduce((sum, layer) => sum + layer.length, 0);
  let best = layers.map((layer) => [...layer]),
    least = crossingsOf(layers);
  for (let sweep = 0; sweep < (size > LARGE ? SWEEPS / 6 : SWEEPS) && least > 0; sweep++) {
    const isForward = sweep % 2 === 0;
    const places = new Map<Cell, number>();
    for (const layer of layers) for (const [index, cell] of layer.entries()) places.set(cell, index);
    for (const layer of isForward ? layers.slice(1) : [...layers].reverse().slice(1)) {
      // Cells of equal mean change places now and then: sweeps alone seldom reach the best order.
      if (sweep % 4 > 1) layer.reverse();
      sortByMean(layer, places, isForward ? "before" : "after");
    }
    if (size <= SWAPS_MAX && sweep % 4 === 3) for (const layer of layers) swap(layer, places);
    const crossings = crossingsOf(layers);
    if (crossings < least) [best, least] = [layers.map((layer) => [...layer]), crossings];
  }
  for (const [rank, cells] of best.entries()) layers[rank]!.splice(0, Infinity, ...cells);
}

/** Order layers by known heights; new cells go beside their neighbours. */
function orderByHeights(layers: readonly Cell[][], heights: Map<Cell, number>): void {
  for (let round = 0; round < layers.length; round++) {
    const missing = layers.flat().filter((cell) => !heights.has(cell));
    for (const cell of missing) {
      const known = [...cell.before, ...cell.after].flatMap((other) => heights.get(other) ?? []);
      if (known.length) heights.set(cell, known.reduce((sum, y) => sum + y, 0) / known.length);
    }
    if (missing.every((cell) => !heights.has(cell))) break;
  }
  for (const layer of layers) stableSort(layer, (cell) => heights.get(cell) ?? Infinity);
}

/** Move the cells marked last below their siblings: the cells of their rank with a neighbour in common. */
function sinkLast(layers: readonly Cell[][], isLast: (cell: Cell) => boolean): void {
  for (const layer of layers) {
    for (const cell of layer.filter(isLast)) {
      const siblings = new Set([
        ...cell.before.flatMap(({ after }) => after),
        ...cell.after.flatMap(({ before }) => before),
      ]);
      const others = layer.filter((other) => other !== cell);
      const below = others.findLastIndex((other) => siblings.has(other) && !isLast(other));
      if (below >= layer.indexOf(cell)) layer.splice(0, Infinity, ...others.toSpliced(below + 1, 0, cell));
    }
  }
}

function sortByMean(layer: Cell[], places: Map<Cell, number>, side: "before" | "after"): void {
  const means = new Map(
    layer.map((cell, index) => {
      const neighbours = cell[side];
      return [
        cell,
        neighbours.length ? neighbours.reduce((sum, other) => sum + places.get(other)!, 0) / neighbours.length : index,
      ] as const;
    }),
  );
  stableSort(layer, (cell) => means.get(cell)!);
  for (const [index, cell] of layer.entries()) places.set(cell, index);
}

function stableSort(layer: Cell[], key: (cell: Cell) => number): void {
  const keys = new Map(layer.map((cell) => [cell, key(cell)]));
  layer.sort((a, b) => (keys.get(a)! === keys.get(b)! ? 0 : keys.get(a)! - keys.get(b)!));
}

/** Swap neighbours in a layer while crossings become fewer. */
function swap(layer: Cell[], places: Map<Cell, number>): void {
  for (let changed = true, rounds = 0; changed && rounds < 2; rounds++) {
    changed = false;
    for (let index = 1; index < layer.length; index++) {
      const [above, below] = [layer[index - 1]!, layer[index]!];
      if (pairCrossings(above, below, places) <= pairCrossings(below, above, places)) continue;
      [layer[index - 1], layer[index]] = [below, above];
      changed = true;
    }
  }
  for (const [index, cell] of layer.entries()) places.set(cell, index);
}

function pairCrossings(above: Cell, below: Cell, places: Map<Cell, number>): number {
  let count = 0;
  for (const side of ["before", "after"] as const) {
    for (const cell of above[side])
      for (const other of below[side]) if (places.get(cell)! > places.get(other)!) count++;
  }
  return count;
}

/** Count the crossings between each two ranks: inversions of the ends on the right, by a Fenwick tree. */
function crossingsOf(layers: readonly (readonly Cell[])[]): number {
  let count = 0;
  layers.slice(1).forEach((layer, index) => {
    const places = new Map(layer.map((cell, place) => [cell, place]));
    const tree = new Array<number>(layer.length + 1).fill(0);
    let seen = 0;
    for (const cell of layers[index]!) {
      const ends = cell.after.map((other) => places.get(other)!);
      for (const end of ends)
        for (let at = end + 1, upTo = seen; ; at -= at & -at) {
          if (at <= 0) {
            count += upTo;
            break;
          }
          upTo -= tree[at]!;
        }
      for (const end of ends) for (let at = end + 1; at <= layer.length; at += at & -at) tree[at]!++;
      seen += ends.length;
    }
  });
  return count;
}
