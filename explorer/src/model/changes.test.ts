import { expect, test } from "vitest";
import { anItem } from "./an-item.test-data";
import { changeRows, columnChangeRows, nextChange, type Step, stepsOfVersions } from "./changes";
import { NO_LINES } from "./columns";
import { compareLineages } from "./compare";
import { type Arrow, type Item, toLineage } from "./graph";

const SINCE = "2025-11-19T00:00:00Z";
const NIGHT = "2025-11-20T02:00:00Z",
  MORNING = "2025-11-20T08:00:00Z";
const NOTHING = { nodes: { added: [], removed: [] }, edges: { added: [], removed: [] } };
const NO_COLUMNS = { added: [], removed: [], retyped: [] };
const aStep = (time: string, run: string | null, change: Partial<Step>): Step => {
  return { ...NOTHING, columns: NO_COLUMNS, time, runs: run ? [{ job: `job:n:${run}`, run }] : [], ...change };
};

const typed = (name: string, type: string, createdAt: string | null = null): Item =>
  anItem(name, { createdAt, fields: [{ name: "amount", type, description: null }] });
const arrows: Arrow[] = [{ from: "orders", to: "old" }];
const comparison = compareLineages(
  toLineage([typed("orders", "int"), typed("old", "int")], arrows),
  toLineage(
    [typed("orders", "decimal"), typed("new", "int", NIGHT), typed("elsewhere", "int", "2025-01-01T00:00:00Z")],
    [],
  ),
  SINCE,
);
const joined = { origin: "elsewhere", destination: "job:n:join" };
const steps: Step[] = [
  aStep(NIGHT, "load", { nodes: { added: ["new"], removed: [] } }),
  aStep(NIGHT, null, { columns: { ...NO_COLUMNS, retyped: [{ dataset: "orders", name: "amount" }] } }),
  aStep(MORNING, "join", {
    edges: { added: [joined], removed: [{ origin: "orders", destination: "old" }] },
    columns: { ...NO_COLUMNS, added: [{ dataset: "orders", name: "tax" }] },
  }),
];
const drawn = new Map(["new", "orders", "elsewhere"].map((id) => [id, 0]));
const rows = changeRows(comparison, drawn, steps);

test("changes are told by kind, with the last step that made each", () => {
  expect(rows.map(({ id, change, isDrawn, cause }) => [id, change, isDrawn, cause?.time, cause?.runs[0]?.job])).toEqual(
    [
      ["new", "added", true, NIGHT, "job:n:load"],
      ["old", "removed", false, MORNING, "job:n:join"],
      ["orders", "changed", true, MORNING, "job:n:join"],
      ["elsewhere", "joined", true, MORNING, "job:n:join"],
    ],
  );
});

test("columns are told with what changed of each, and who made it", () => {
  const idOf = (field: string) => `datasetField:s3://lake:orders:${field}`;
  const details = new Map([[idOf("amount"), ["int → decimal"]]]);
  const changes = new Map([
    [idOf("amount"), "changed"],
    [idOf("tax"), "added"],
    [idOf("old"), "removed"],
  ] as const);
  const dataset = "dataset:s3://lake:orders";
  const made = [
    aStep(NIGHT, "load", {
      columns: { added: [{ dataset, name: "tax" }], removed: [], retyped: [{ dataset, name: "amount" }] },
    }),
    aStep(MORNING, null, { columns: { ...NO_COLUMNS, retyped: [{ dataset, name: "other" }] } }),
  ];
  const told = columnChangeRows(
    { lines: NO_LINES, changes, details, arrows: new Map() },
    new Set([idOf("amount")]),
    made,
  );
  expect(
    told.map(({ name, change, isDrawn, details, cause }) => [name, change, isDrawn, details, cause?.time]),
  ).toEqual([
    ["orders.tax", "added", false, [], NIGHT],
    ["orders.old", "removed", false, [], undefined],
    ["orders.amount", "changed", true, ["int → decimal"], NIGHT],
  ]);
});

test("versions of a dataset are steps of its schema, between the two times alone", () => {
  const version = (createdAt: string, type: string, failed = false) => ({
    createdAt,
    failed,
    fields: [{ name: "amount", type }],
    createdByRun: { id: `run of ${createdAt}`, job: { namespace: "n", name: "load" } },
  });
  const versions = [
    version("2025-11-23T02:00:00Z", "text"),
    version("2025-11-22T02:00:00Z", "decimal"),
    version("2025-11-21T02:00:00Z", "broken", true),
    version(NIGHT, "decimal"),
    version("2025-11-18T02:00:00Z", "int"),
    version("2025-11-17T02:00:00Z", "bool"),
  ];
  const dataset = "dataset:n:orders";
  expect(stepsOfVersions(dataset, versions, { vs: SINCE, at: "2025-11-22T12:00:00Z" })).toEqual([
    {
      ...NOTHING,
      time: NIGHT,
      runs: [{ job: "job:n:load", run: `run of ${NIGHT}` }],
      columns: { ...NO_COLUMNS, retyped: [{ dataset, name: "amount" }] },
    },
  ]);
});

test("steps lead to drawn changes alone, and end at the last", () => {
  const from = (sel: string, by: 1 | -1) => nextChange(rows, sel, by)?.id;
  expect([from("", 1), from("new", 1), from("orders", 1), from("elsewhere", 1)]).toEqual([
    "new",
    "orders",
    "elsewhere",
    "elsewhere",
  ]);
  expect([from("", -1), from("orders", -1), from("new", -1)]).toEqual(["elsewhere", "new", "new"]);
});
