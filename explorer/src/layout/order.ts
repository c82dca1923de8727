/** The order of cells in their ranks: few crossings at first, and later the reader's known order. */

import type { Cell } from "./ranks";

const SWEEPS = 48;
// Above so many cells a sweep costs too much to be tried often.
const LARGE = 1500;
const SWAPS_MAX = 400;

/** Order layers for few crossings: sweeps by the mean place of neighbours, then swaps in each rank. */
export function orderByCrossings(layers: readonly Cell[][]): void {
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
export function orderByHeights(layers: readonly Cell[][], heights: Map<Cell, number>): void {
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
export function sinkLast(layers: readonly Cell[][], isLast: (cell: Cell) => boolean): void {
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
