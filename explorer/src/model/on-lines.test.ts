import { expect, test } from "vitest";

import { layered } from "../layout/layered";
import { anItem } from "./an-item.test-data";
import { show, toLineage } from "./graph";
import { jobsOnLines } from "./on-lines";

function drawn(paths: readonly string[], focus: string, boxes: readonly string[] = []) {
  const arrows = paths.map((path) => path.split(" ")).map(([from, to]) => ({ from: from!, to: to! }));
  const lineage = toLineage(
    [...new Set(arrows.flatMap(({ from, to }) => [from, to]))].map((id) => anItem(id)),
    arrows,
  );
  const shown = show(lineage, focus, { dir: "both", depth: 9, open: [], pick: [], all: [] });
  return { ...shown, jobs: jobsOnLines(lineage, shown, new Set(boxes)) };
}

test("a job with a single drawn output is on the line; with several or none, and as a named box, it is a box", () => {
  const paths = ["a job:1", "job:1 b", "b job:2", "job:2 c", "job:2 d", "b job:board", "c job:3", "job:3 e"];
  expect([...drawn(paths, "b", ["job:3"]).jobs]).toEqual(["job:1"]);
});

test("seven hops with jobs on lines fit into 1,440 pixels at a scale of 0.9", () => {
  const ids = ["t0", "job:1", "t1", "job:2", "t2", "job:3", "t3", "job:4"];
  const { hops, arrows, jobs } = drawn([...ids.slice(1).map((to, at) => `${ids[at]} ${to}`), "job:4 t4"], "t2");
  const boxes = [...hops.keys()]
    .filter((id) => id !== "t4")
    .map((id) => ({ id, ...(jobs.has(id) ? { width: 22, height: 22 } : { width: 256, height: 54 }) }));
  const { at } = layered({ boxes, arrows: [...arrows], last: {} });
  const right = Math.max(...boxes.map(({ id, width }) => at[id]!.x + width));
  expect(right * 0.9).toBeLessThanOrEqual(1_440 * 0.92);
});
