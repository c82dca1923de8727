import type { Task } from "./boxes";
import { layered } from "./layered";

self.onmessage = ({ data }: MessageEvent<{ number: number; task: Task }>) => {
  self.postMessage({ number: data.number, placed: layered(data.task) });
};
