import { expect, test } from "vitest";

import { type Degree, type Item, type Lineage, show, toLineage } from "./graph";
import { drawnArrows, foldHubs, HUB_ABOVE } from "./hubs";

const READ_BY_MANY: Degree = { up: 0, down: HUB_ABOVE, exact: false };

/** "raw job:check checked" is a path from raw to checked; of a hub most readers are left out. */
function aLineage(paths: readonly string[], hub = "dim"): Lineage {
  const ids = [...new Set(paths.flatMap((path) => path.split(" ")))];
  const items = ids.map((id) => ({ id, kind: id.startsWith("job") ? "job" : "dataset", name: id }) as Item);
  const arrows = paths.flatMap((path) =>
    path
      .split(" ")
      .slice(1)
      .map((to, index) => ({ from: path.split(" ")[index]!, to })),
  );
  return toLineage(items, arrows, false, new Map([[hub, READ_BY_MANY]]));
}

const PATHS = ["calendar job:dates dim job:a mid job:b report", "dim job:b", "raw job:a"];
const folded = (lineage: Lineage, focus: string, keep: string[] = []) =>
  foldHubs(lineage, show(lineage, focus, { dir: "both", depth: 5, open: [], pick: [], all: [] }), focus, keep);

test("a hub is a stub at each reader, and what leads to it alone goes with it", () => {
  const picture = folded(aLineage(PATHS), "report");
  expect([...picture.hops.keys()].sort()).toEqual(["job:a", "job:b", "mid", "raw", "report"]);
  expect(picture.stubs.map(({ hub, of }) => [hub, of])).toEqual([
    ["dim", "job:a"],
    ["dim", "job:b"],
  ]);
  expect([...picture.hubs]).toEqual([["dim", HUB_ABOVE + 2]]);
  expect(drawnArrows(picture)).toContainEqual({ from: "stub:dim→job:a", to: "job:a" });
});

test("what leads to a hub and to something else stays", () => {
  const picture = folded(aLineage([...PATHS, "calendar job:a"]), "report");
  expect(picture.hops.has("calendar")).toBe(true);
  expect(picture.hops.has("job:dates")).toBe(false);
});

test("a hub that is the focus, comes of it, or is on the path of a node to keep is drawn", () => {
  const lineage = aLineage(PATHS);
  for (const focus of ["dim", "job:dates"]) expect(folded(lineage, focus).stubs).toEqual([]);
  for (const keep of ["dim", "calendar"]) {
    const picture = folded(lineage, "report", [keep]);
    expect(picture.stubs).toEqual([]);
    expect(picture.hops.has("dim")).toBe(true);
  }
  expect(folded(lineage, "report", ["raw"]).stubs).toHaveLength(2);
});

test("an input with few readers has its lines", () => {
  expect(folded(aLineage(PATHS, "other"), "report").stubs).toEqual([]);
});
