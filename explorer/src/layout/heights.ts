/** The heights of ordered cells: near to where they want to be, and never one on another. */

import { ROW_GAP } from "./boxes";
import type { Cell } from "./ranks";

const ROUNDS = 10;
// A long line is straight first, then boxes stand by their neighbours.
const STRAIGHT = 6;
const KEPT = 200;

/** Return the middle of each cell; those in `kept` stay near the height that they had. */
export function heightsOf(layers: readonly Cell[][], kept: ReadonlyMap<Cell, number>): Map<Cell, number> {
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

/** Place a layer's cells in their order so that the squared distances to their wishes are least (isotonic regression). */
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
