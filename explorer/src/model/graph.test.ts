import { expect, test } from "vitest";
import { aLineage, anItem, arrowsOfPaths } from "./an-item.test-data";
import { compareLineages } from "./compare";
import { healthOf, lastOf, lateOf } from "./freshness";
import {
  type Degree,
  depthToRequest,
  FOLD_SHOWS,
  type Item,
  isWide,
  mergeLineages,
  rank,
  type Showing,
  show,
  toLineage,
  withoutTemporary,
} from "./graph";
import { byOwner, messageTo } from "./impact";
import { between, nearestTroubles, pathThrough } from "./paths";

const NOTHING: Showing = { dir: "both", depth: 1, open: [], pick: [], all: [] };

const PLACE = { time: "2025-11-20T12:30:00Z", address: "http://x" };
const hopsOf = (shown: ReturnType<typeof show>) => Object.fromEntries([...shown.hops].sort());
const PIPELINE = aLineage([
  "raw job:check checked job:estimate estimated job:sum report",
  "planes job:check rejected",
  "estimated job:bill bills",
]);

test("what is shown lies on a path through the focus; siblings are a count", () => {
  const shown = show(PIPELINE, "checked", NOTHING);
  expect(hopsOf(shown)).toEqual({ raw: -2, planes: -2, "job:check": -1, checked: 0, "job:estimate": 1, estimated: 2 });
  expect(shown.more.get("job:check")).toEqual({ up: 0, down: 1 });
  expect(shown.more.get("estimated")).toEqual({ up: 0, down: 2 });
});

test("a view is beside the datasets that it is made of, without a job between", () => {
  const shown = show(aLineage(["job:check checked view job:read report"]), "checked", NOTHING);
  expect(hopsOf(shown)).toEqual({ "job:check": -1, checked: 0, view: 1, "job:read": 2 });
  expect(shown.arrows).toContainEqual({ from: "checked", to: "view" });
});

test("one direction, and no depth", () => {
  const below = { checked: 0, "job:estimate": 1, estimated: 2 };
  expect(hopsOf(show(PIPELINE, "checked", { ...NOTHING, dir: "down" }))).toEqual(below);
  expect(hopsOf(show(PIPELINE, "checked", { ...NOTHING, depth: 0 }))).toEqual({ checked: 0 });
});

test("of a way its nodes alone are shown, with the number of the others, and what is opened beside it", () => {
  const hops = { raw: -2, "job:check": -1, checked: 0 };
  const way = new Map(Object.entries(hops));
  const shown = show(PIPELINE, "checked", { ...NOTHING, depth: 9, way });
  expect([hopsOf(shown), shown.folds]).toEqual([hops, []]);
  expect(shown.more.get("job:check")).toEqual({ up: 1, down: 1 });
  expect(show(PIPELINE, "checked", { ...NOTHING, open: ["up:job:check"], way }).hops.get("planes")).toBe(-2);
});

test("an opened side shows what comes next, and an opened sibling its own", () => {
  const shown = show(PIPELINE, "checked", { ...NOTHING, open: ["down:estimated", "down:job:check"] });
  expect([...shown.hops.keys()].sort()).toEqual([...PIPELINE.items.keys()].sort());
  expect([...shown.more.values()].every(({ up, down }) => up + down === 0)).toBe(true);
});

test("the order in which sides were opened does not matter", () => {
  const open = ["down:estimated", "down:report", "down:job:check"];
  expect(hopsOf(show(PIPELINE, "raw", { ...NOTHING, open }))).toEqual(
    hopsOf(show(PIPELINE, "raw", { ...NOTHING, open: [...open].reverse() })),
  );
});

test("of many neighbours those that ran last are shown, the others are a fold", () => {
  const readers = Array.from({ length: 20 }, (_, index) => `job:${String(index).padStart(2, "0")}`);
  const hub = aLineage(
    readers.map((reader) => `hub ${reader}`),
    Object.fromEntries(
      readers.map((id, index) => [id, { touchedAt: `2025-11-${String(1 + index).padStart(2, "0")}` }]),
    ),
  );
  const shown = show(hub, "hub", NOTHING);
  expect([...shown.hops.keys()].sort()).toEqual(["hub", "job:15", "job:16", "job:17", "job:18", "job:19"]);
  expect(shown.folds.map(({ side, count, exact }) => [side, count, exact])).toEqual([["down", 20 - FOLD_SHOWS, true]]);
  expect(shown.more.get("hub")).toEqual({ up: 0, down: 0 });
  expect(show(hub, "hub", { ...NOTHING, pick: ["job:03"] }).hops.has("job:03")).toBe(true);
  expect(show(hub, "hub", { ...NOTHING, all: ["down:hub"] }).folds).toEqual([]);
});

test("of a DAG the tasks that failed, stopped or run are shown, all others are a fold of their state", () => {
  const of = (parent: string, state: Item["state"]) => ({ parent, state });
  const dag = aLineage(["job:dag", "job:a copy", "job:b", "job:inner job:c", "job:stranger"], {
    "job:dag": { tasks: { COMPLETED: 240, FAILED: 3 } },
    "job:a": of("job:dag", "FAILED"),
    "job:b": of("job:dag", "COMPLETED"),
    "job:inner": of("job:dag", "FAILED"),
    "job:c": of("job:inner", "RUNNING"),
    "job:stranger": of("job:other", "FAILED"),
  });
  const shown = show(dag, "job:dag", NOTHING);
  expect(hopsOf(shown)).toEqual({ "job:dag": 0, "job:a": 1, "job:inner": 1, "job:c": 1 });
  expect(shown.arrows).toContainEqual({ from: "job:dag", to: "job:a", isControl: true });
  expect(shown.folds.map(({ id, words }) => [id, words])).toEqual([
    ["tasks:FAILED", "1 more failed"],
    ["tasks:COMPLETED", "240 completed"],
  ]);
  expect(show(dag, "job:dag", { ...NOTHING, dir: "up" }).folds).toEqual([]);
});

const aFolded = (paths: readonly string[], more: Record<string, Degree>) => aLineage(paths, {}, more);

test("what a folded response leaves out is counted, in the fold of a hub and at the border", () => {
  const hub = aFolded(["hub job:a copy", ...Array.from({ length: 7 }, (_, index) => `hub job:r${index}`)], {
    hub: { up: 0, down: 1992, exact: false },
    copy: { up: 0, down: 3, exact: true },
  });
  const shown = show(hub, "hub", NOTHING);
  expect(shown.folds.map(({ count, exact }) => [count, exact])).toEqual([[2000 - FOLD_SHOWS, false]]);
  expect(shown.more.get("copy")).toEqual({ up: 0, down: 3 });
  expect([isWide(hub), isWide(PIPELINE)]).toEqual([true, false]);
  expect(shown.hops.size).toBe(FOLD_SHOWS + 2);
});

test("graphs of one moment are merged, and a neighbour that one of them has is not hidden", () => {
  const focus = aFolded(["raw job:check checked"], {
    raw: { up: 1, down: 0, exact: true },
    "job:check": { up: 0, down: 1, exact: true },
    checked: { up: 0, down: 2, exact: false },
  });
  const opened = aFolded(["job:check rejected", "job:check checked"], {
    "job:check": { up: 1, down: 0, exact: true },
    rejected: { up: 0, down: 4, exact: true },
  });
  const merged = mergeLineages([focus, opened]);
  expect([...merged.items.keys()]).toEqual(["raw", "job:check", "checked", "rejected"]);
  expect(Object.fromEntries(merged.degrees)).toEqual({
    raw: { up: 1, down: 1, exact: true },
    "job:check": { up: 1, down: 2, exact: true },
    checked: { up: 1, down: 2, exact: false },
    rejected: { up: 1, down: 4, exact: true },
  });
  const { more } = show(merged, "checked", { ...NOTHING, open: ["down:job:check"] });
  expect(more.get("job:check")).toEqual({ up: 0, down: 0 });
  expect(mergeLineages([focus])).toBe(focus);
});

test("a job that waits for another is beside it, apart from data", () => {
  const items = ["job:a", "job:b", "job:c"].map((id) => anItem(id));
  const waits = [
    { from: "job:a", to: "job:b", isControl: true },
    { from: "job:b", to: "job:c", isControl: true },
  ];
  const lineage = toLineage(items, [...waits, { from: "job:b", to: "job:c" }]);
  expect(hopsOf(show(lineage, "job:b", NOTHING))).toEqual({ "job:a": -1, "job:b": 0, "job:c": 1 });
  expect(show(lineage, "job:b", NOTHING).arrows).toEqual([
    { from: "job:a", to: "job:b", isControl: true },
    { from: "job:b", to: "job:c" },
  ]);
  expect([...mergeLineages([lineage, toLineage(items, waits)]).controls]).toEqual(["job:a→job:b"]);
});

test("the API counts jobs, a map datasets to each side", () => {
  expect([0, 1, 3].map((depth) => depthToRequest("dataset", depth))).toEqual([0, 0, 2]);
  expect([0, 1].map((depth) => depthToRequest("job", depth))).toEqual([0, 1]);
});

test("circles end", () => {
  const circle = aLineage(["table job:upsert table"]);
  expect(hopsOf(show(circle, "table", { ...NOTHING, depth: 5 }))).toEqual({ "job:upsert": -1, table: 0 });
});

test("a temporary dataset is left out, hides no neighbour, and who reads it follows on who wrote it", () => {
  const whole = aLineage(["raw job:a tmp job:b out"], { tmp: { temporary: true } });
  const { lineage, left } = withoutTemporary(whole, "raw");
  expect([...lineage.items.keys()]).toEqual(["raw", "job:a", "job:b", "out"]);
  expect([left, lineage.down.get("job:a")]).toEqual([1, ["job:b"]]);
  expect(lineage.degrees.get("job:a")).toEqual({ up: 1, down: 1, exact: true });
  expect(withoutTemporary(whole, "tmp").left).toBe(0);
});

test("those that ran last come first, and what never ran last, by id", () => {
  expect(rank(aLineage(["b a", "b c"], { a: { touchedAt: "2025" } }), ["c", "b", "a"])).toEqual(["a", "b", "c"]);
});

test("paths: through a node, between two, in whichever order, and none", () => {
  const arrows = [...PIPELINE.down].flatMap(([from, tos]) => tos.map((to) => ({ from, to })));
  expect([...pathThrough(arrows, "rejected").nodes].sort()).toEqual(["job:check", "planes", "raw", "rejected"]);
  expect([...between(arrows, "estimated", "raw").nodes].sort()).toEqual([
    "checked",
    "estimated",
    "job:check",
    "job:estimate",
    "raw",
  ]);
  expect([...between(arrows, "bills", "report").nodes].sort()).toEqual(["bills", "report"]);
});

test("an arrow around a node is not on the path through it", () => {
  const arrows = arrowsOfPaths(["dim job:a out", "dim out"]);
  expect([...pathThrough(arrows, "job:a").arrows]).toEqual(["dim→job:a", "job:a→out"]);
});

test("freshness: at a past time the outputs of a failed job are late, whatever is below them", () => {
  const lineage = aLineage(["job:a old job:b new"], { "job:a": { state: "FAILED" }, "job:b": { state: "COMPLETED" } });
  expect([...lateOf(lineage)]).toEqual([["old", { late: true, isOnOldData: false }]]);
});

test("freshness: a dataset was written when its node says, else its mark, however late it is read", () => {
  const mark = { late: true, isOnOldData: false, written: "2025-11-03" };
  const item = anItem("out", { touchedAt: "2025-11-09" });
  expect([lastOf({ ...item, writtenAt: "2025-11-04" }, mark), lastOf(item, mark), lastOf(item)]).toEqual([
    ...["2025-11-04", "2025-11-03"],
    null,
  ]);
});

test.each([
  ["job:a", { state: "FAILED", endedAt: "2025-11-01" }, null, "failed", "2025-11-01"],
  ["job:a", { state: "RUNNING", startedAt: "2025-11-01" }, null, "running", "2025-11-01"],
  ["job:a", { state: "COMPLETED", endedAt: "2025-11-01" }, null, "fresh", "2025-11-01"],
  ["job:a", {}, null, "unknown", null],
  ["out", { touchedAt: "2025-11-09" }, "2025-11-01", "fresh", "2025-11-01"],
  ["out", { touchedAt: "2025-11-09" }, null, "unknown", null],
  ["out", { stale: true }, "2025-11-01", "late", "2025-11-01"],
  ["out", { tests: { passed: 0, warned: 0, failed: 1 } }, "2025-11-01", "failed", "2025-11-01"],
] as const)("health: %s with %j, written %s, is %s since %s", (id, changes, written, health, since) =>
  expect(healthOf(anItem(id, changes), written)).toEqual({ health, since }),
);

test("health: a dataset that is late or on old data is amber", () =>
  expect(healthOf(anItem("out"), null, { late: true, isOnOldData: false }).health).toBe("late"));

test("impact by owner: the nearest first, and unknown owners last", () => {
  const row = (id: string, hops: number, ...owners: string[]) => ({
    item: { ...aLineage([id]).items.get(id)!, owners },
    hops,
    through: [],
  });
  const reached = byOwner([
    row("job:a", 2, "team:a"),
    row("b", 1, "team:b", "team:a"),
    row("c", 1),
    row("datasetField:s3:b:x", 1, "team:c"),
  ]);
  expect(reached.map(({ owner, jobs, datasets, hops }) => [owner, jobs.length, datasets.length, hops])).toEqual([
    ["team:a", 1, 1, 1],
    ["team:b", 0, 1, 1],
    ["", 0, 1, 1],
  ]);
  expect(messageTo(reached[1]!, "orders.id", PLACE).split("\n")).toEqual([
    "To team:b: a change of orders.id reaches 1 dataset of yours, the nearest 1 hop away.",
    "- b",
    "As of 2025-11-20 12:30 UTC: http://x",
  ]);
});

test("a message to an owner says what breaks, and which job read another part", () => {
  const item = { ...aLineage(["job:a"]).items.get("job:a")!, owners: ["team:a"] };
  const how = { direct: true, masked: false, certain: true };
  const [reached] = byOwner([{ item, hops: 2, through: [], otherPart: true, how }]);
  expect(messageTo(reached!, "orders", PLACE).split("\n")[1]).toBe(
    "- job:a (breaks, its last run read another part than was last written)",
  );
});

test("why: the nearest trouble on each path, and none behind it", () => {
  const lineage = aLineage(["a job:a b job:b c", "stale job:b"], {
    "job:a": { state: "FAILED" },
    "job:b": { state: "COMPLETED" },
    stale: { stale: true },
    a: { stale: true },
  });
  expect(nearestTroubles(lineage, "c").map(({ item, hops }) => [item.id, hops])).toEqual([
    ["stale", 2],
    ["job:a", 3],
  ]);
  const tested = aLineage(["a job:a b job:b c"], {
    a: { tests: { passed: 1, warned: 0, failed: 1 } },
    b: { tests: { passed: 1, warned: 1, failed: 0 } },
  });
  expect(nearestTroubles(tested, "c").map(({ item, hops }) => [item.id, hops])).toEqual([["a", 4]]);
});

test("compare: the union, with what is added, removed and changed", () => {
  const fields = (...names: string[]) => names.map((name) => ({ name, type: "int", description: null }));
  const before = aLineage(["raw job:a out", "old job:a"], { out: { fields: fields("x", "y") } });
  const now = aLineage(["raw job:a out", "new job:a"], { out: { fields: fields("x", "z") } });
  const { lineage, changes, arrows, details } = compareLineages(before, now, "2025-11-20T00:00:00Z");
  expect([...lineage.items.keys()].sort()).toEqual(["job:a", "new", "old", "out", "raw"]);
  expect(Object.fromEntries(changes)).toEqual({ new: "added", old: "removed", out: "changed" });
  expect(Object.fromEntries(arrows)).toEqual({ "new→job:a": "is-added", "old→job:a": "is-removed" });
  expect(details.get("out")).toEqual(["+ z", "− y"]);
});
