/** The layout where the layered one would take too long: ranks, and in a rank one below the other. */

import { type Placed, RANK_GAP, ROW_GAP, type Task } from "./boxes";
import { rankBoxes } from "./ranks";

export function simple(task: Task): Placed {
  const { boxes, ranks } = rankBoxes(task);
  const at: Placed["at"] = {};
  let x = 0;
  for (const rank of [...new Set(ranks.values())].sort((a, b) => a - b)) {
    const here = boxes.filter((box) => ranks.get(box.id) === rank);
    const height = here.reduce((sum, box) => sum + box.height + ROW_GAP, -ROW_GAP);
    let y = -height / 2;
    for (const box of here) {
      at[box.id] = { x, y };
      y += box.height + ROW_GAP;
    }
    x += Math.max(...here.map((box) => box.width)) + RANK_GAP;
  }
  return { at, bends: {}, lanes: {} };
}
