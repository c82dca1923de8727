/** Ranks of boxes, from left to right, and the layers of a layered layout. */

import { inOrder, type Task } from "./boxes";

/** A box, or the place where a long line passes a rank; `weight` counts how much a line wants to be straight. */
export interface Cell {
  id: string;
  rank: number;
  height: number;
  isPass: boolean;
  before: Cell[];
  after: Cell[];
}

interface Layers {
  /** By rank. */
  layers: Cell[][];
  /** The passes of a long line to the right, by `from→to`. */
  passes: Map<string, Cell[]>;
}

const PASS_HEIGHT = 8;

/** Return the rank of each box: lines lead to the right, except for an arrow back in each circle. */
export function rankBoxes(task: Task) {
  const boxes = inOrder(task);
  const place = new Map(boxes.map(({ id }, index) => [id, index]));
  const lines = task.arrows
    .filter(({ from, to }) => from !== to && place.has(from) && place.has(to))
    .sort((a, b) => place.get(a.from)! - place.get(b.from)! || place.get(a.to)! - place.get(b.to)!);
  const order = topological(
    boxes.map(({ id }) => id),
    lines,
  );
  const isBack = ({ from, to }: { from: string; to: string }) => order.get(from)! > order.get(to)!;
  const forward = lines.map((line) => (isBack(line) ? { from: line.to, to: line.from } : line));
  return { boxes, lines, isBack, forward, ranks: ranksOf([...order.keys()], forward) };
}

/** Put boxes into the layers of their ranks, with the passes of long lines. */
export function toLayers(task: Task): Layers {
  const { boxes, lines, isBack, forward, ranks } = rankBoxes(task);
  const layers: Cell[][] = Array.from({ length: Math.max(-1, ...ranks.values()) + 1 }, () => []);
  const cells = new Map<string, Cell>();
  const add = (id: string, rank: number, height: number, isPass: boolean): Cell => {
    const cell = { id, rank, height, isPass, before: [], after: [] };
    layers[rank]!.push(cell);
    return cell;
  };
  for (const { id, height } of boxes) cells.set(id, add(id, ranks.get(id)!, height, false));
  const passes = new Map<string, Cell[]>();
  lines.forEach((line, index) => {
    const { from, to } = forward[index]!;
    const key = `${line.from}→${line.to}`;
    // An arrow back is drawn below the boxes between.
    if (isBack(line)) return;
    const chain = [cells.get(from)!];
    for (let rank = chain[0]!.rank + 1; rank < ranks.get(to)!; rank++)
      chain.push(add(`${key} ${rank}`, rank, PASS_HEIGHT, true));
    chain.push(cells.get(to)!);
    for (let at = 1; at < chain.length; at++) join(chain[at - 1]!, chain[at]!);
    passes.set(key, chain.slice(1, -1));
  });
  return { layers, passes };
}

function join(left: Cell, right: Cell): void {
  left.after.push(right);
  right.before.push(left);
}

/** Number the boxes: lines lead to higher numbers, except for an arrow back in each circle. */
function topological(ids: readonly string[], lines: Task["arrows"]): Map<string, number> {
  const next = new Map<string, readonly string[]>(),
    waits = new Map(ids.map((id) => [id, 0]));
  for (const { from, to } of lines) {
    next.set(from, [...(next.get(from) ?? []), to]);
    waits.set(to, waits.get(to)! + 1);
  }
  const order = new Map<string, number>();
  const ready = ids.filter((id) => waits.get(id) === 0);
  for (let head = 0; order.size < ids.length; ) {
    if (head === ready.length) {
      // A circle has no start: its box with the fewest open sources becomes the start.
      const circle = withoutEnds(
        ids.filter((id) => !order.has(id)),
        next,
      );
      ready.push(circle.reduce((least, id) => (waits.get(id)! < waits.get(least)! ? id : least)));
    }
    const id = ready[head++]!;
    if (order.has(id)) continue;
    order.set(id, order.size);
    for (const to of next.get(id) ?? []) {
      waits.set(to, waits.get(to)! - 1);
      if (waits.get(to) === 0 && !order.has(to)) ready.push(to);
    }
  }
  return order;
}

/** Remove the boxes that lead to no circle. */
function withoutEnds(ids: readonly string[], next: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const within = new Set(ids);
  for (let size = -1; size !== within.size; ) {
    size = within.size;
    for (const id of [...ids].reverse()) if (!next.get(id)?.some((to) => within.has(to))) within.delete(id);
  }
  return ids.filter((id) => within.has(id));
}

/** Rank each box after all its sources. A box with more lines to the right than to the left goes near its readers. */
function ranksOf(ids: readonly string[], lines: Task["arrows"]): Map<string, number> {
  const before = new Map<string, string[]>(ids.map((id) => [id, []])),
    after = new Map<string, string[]>(ids.map((id) => [id, []]));
  for (const { from, to } of lines) {
    after.get(from)!.push(to);
    before.get(to)!.push(from);
  }
  const ranks = new Map<string, number>();
  for (const id of ids)
    ranks.set(
      id,
      before.get(id)!.reduce((most, from) => Math.max(most, ranks.get(from)! + 1), 0),
    );
  for (const id of [...ids].reverse()) {
    const readers = after.get(id)!;
    if (readers.length > before.get(id)!.length)
      ranks.set(
        id,
        readers.reduce((least, to) => Math.min(least, ranks.get(to)! - 1), Infinity),
      );
  }
  const least = Math.min(...ranks.values());
  return new Map([...ranks].map(([id, rank]) => [id, rank - least]));
}
