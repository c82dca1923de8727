/** The layout, computed beside the page: what it computes never keeps a reader from moving the picture. */

import type { Placed, Task } from "./boxes";
import { simple } from "./simple";

const WAIT_MS = 3000;

let worker: Worker | null = null;
let number = 0;

function start(): Worker {
  return new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
}

/** Start the worker before it is needed. */
function warmUp(): void {
  worker ??= start();
}

export function place(task: Task, signal: AbortSignal): Promise<Placed> {
  warmUp();
  const mine = ++number;
  const on = worker!;
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
