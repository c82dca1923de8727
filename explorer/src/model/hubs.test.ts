import { expect, test } from "vitest";
import { layered } from "../layout/layered";
import { aLineage } from "./an-item.test-data";
import { type Degree, type Lineage, show } from "./graph";
import { drawnArrows, foldHubs, HUB_ABOVE, jobsOnLines } from "./paths";

const READ_BY_MANY: Degree = { up: 0, down: HUB_ABOVE, exact: false };

const withHub = (paths: readonly string[], hub = "dim") => aLineage(paths, {}, { [hub]: READ_BY_MANY });
const PATHS = ["calendar job:dates dim job:a mid job:b report", "dim job:b", "raw job:a"];
const folded = (lineage: Lineage, focus: string, keep: string[] = []) =>
  foldHubs(lineage, show(lineage, focus, { dir: "both", depth: 5, open: [], pick: [], all: [] }), focus, keep);

test("a hub is a stub at each reader, and what leads to it alone goes with it", () => {
  const picture = folded(withHub(PATHS), "report");
  expect([...picture.hops.keys()].sort()).toEqual(["job:a", "job:b", "mid", "raw", "report"]);
  expect(picture.stubs.map(({ hub, of }) => [hub, of])).toEqual([
    ["dim", "job:a"],
    ["dim", "job:b"],
  ]);
  expect([...picture.hubs]).toEqual([["dim", HUB_ABOVE + 2]]);
  expect(drawnArrows(picture)).toContainEqual({ from: "stub:dim→job:a", to: "job:a" });
});

test("what leads to a hub and to something else stays", () => {
  const picture = folded(withHub([...PATHS, "calendar job:a"]), "report");
  expect(picture.hops.has("calendar")).toBe(true);
  expect(picture.hops.has("job:dates")).toBe(false);
});

test("a hub that is the focus, comes of it, or is on the path of a node to keep is drawn", () => {
  const lineage = withHub(PATHS);
  for (const focus of ["dim", "job:dates"]) expect(folded(lineage, focus).stubs).toEqual([]);
  for (const keep of ["dim", "calendar"]) {
    const picture = folded(lineage, "report", [keep]);
    expect(picture.stubs).toEqual([]);
    expect(picture.hops.has("dim")).toBe(true);
  }
  expect(folded(lineage, "report", ["raw"]).stubs).toHaveLength(2);
});

function drawn(paths: readonly string[], focus: string, boxes: readonly string[] = []) {
  const lineage = aLineage(paths);
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
