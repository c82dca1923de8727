/** The layout, computed beside the page: what it computes never keeps a reader from moving the picture. */

import { type Placed, RANK_GAP, ROW_GAP, type Task } from "./boxes";
import { rankBoxes } from "./ranks";

const WAIT_MS = 3000;

let worker: Worker | null = null;
let number = 0;

function start(): Worker {
  return new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
}

// Its file loads beside the first data.
if ("Worker" in globalThis) worker = start();

export function place(task: Task, signal: AbortSignal): Promise<Placed> {
  const mine = ++number;
  worker ??= start();
  const on = worker;
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      on.removeEventListener("message", take);
      on.removeEventListener("error", fail);
    };
    const stop = () => {
      on.terminate();
      if (worker === on) worker = null;
    };
    const take = ({ data }: MessageEvent<{ number: number; placed: Placed }>) => {
      if (data.number !== mine) return;
      end();
      resolve(data.placed);
    };
    const fail = () => {
      end();
      stop();
      resolve(simple(task));
    };
    const timer = setTimeout(fail, WAIT_MS);
    signal.addEventListener("abort", () => {
      end();
      reject(signal.reason as Error);
    });
    on.addEventListener("message", take);
    on.addEventListener("error", fail);
    on.postMessage({ number: mine, task });
  });
}

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
