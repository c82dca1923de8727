/** The layout where the layered one would take too long: ranks by hops, and in a rank one below the other. */

import { inOrder, type Placed, RANK_GAP, ROW_GAP, type Task } from "./boxes";

export function simple(task: Task): Placed {
  const ranks = ranksOf(task);
  const columns = new Map<number, { x: number; y: number }>();
  const at: Placed["at"] = {};
  let x = 0;
  const boxes = inOrder(task);
  for (const rank of [...new Set(ranks.values())].sort((a, b) => a - b)) {
    const here = boxes.filter((box) => ranks.get(box.id) === rank);
    const height = here.reduce((sum, box) => sum + box.height + ROW_GAP, -ROW_GAP);
    columns.set(rank, { x, y: -height / 2 });
    let y = -height / 2;
    for (const box of here) {
      at[box.id] = { x, y };
      y += box.height + ROW_GAP;
    }
    x += Math.max(...here.map((box) => box.width)) + RANK_GAP;
  }
  return { at, bends: {}, lanes: {}, simple: true };
}

/** Return each box's rank: the longest path from a start; boxes of circles come last. */
function ranksOf(task: Task): Map<string, number> {
  const waits = new Map(task.boxes.map((box) => [box.id, 0]));
  const next = new Map<string, string[]>();
  for (const { from, to } of task.arrows) {
    if (from === to || !waits.has(from) || !waits.has(to)) continue;
    waits.set(to, waits.get(to)! + 1);
    next.set(from, [...(next.get(from) ?? []), to]);
  }
  const ranks = new Map<string, number>();
  const done = new Set<string>();
  let level = [...waits].filter(([, count]) => count === 0).map(([id]) => id);
  while (done.size < waits.size) {
    // A circle has no start: the first of it by id is taken for one.
    if (!level.length) level = [[...waits.keys()].filter((id) => !done.has(id)).sort()[0]!];
    const following: string[] = [];
    for (const id of level) {
      done.add(id);
      const rank = ranks.get(id) ?? 0;
      ranks.set(id, rank);
      for (const to of next.get(id) ?? []) {
        if (done.has(to)) continue;
        ranks.set(to, Math.max(ranks.get(to) ?? 0, rank + 1));
        waits.set(to, waits.get(to)! - 1);
        if (waits.get(to) === 0) following.push(to);
      }
    }
    level = following;
  }
  return ranks;
}
