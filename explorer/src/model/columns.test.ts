import { expect, test } from "vitest";

import { type ColumnArrow, type ColumnLines, cardsOf, formulasOf, operationOf, type Step } from "./columns";

const DIRECT: Step = { direct: true, kind: "IDENTITY", description: null, masked: false };

const anArrow = (step: Partial<Step>, to = "out"): ColumnArrow => ({
  from: "in",
  to,
  steps: [{ ...DIRECT, ...step }],
  direct: step.direct ?? true,
  masked: step.masked ?? false,
});

test.each([
  [{}, "=", "a copy"],
  [{ kind: "AGGREGATION", description: "sum(x)" }, "Σ", "sum(x)"],
  [{ kind: "TRANSFORMATION", description: "cast(x as int)" }, "cast", "cast(x as int)"],
  [{ kind: "TRANSFORMATION", description: "x * 2" }, "ƒ", "x * 2"],
  [{ kind: "TRANSFORMATION" }, "ƒ", "transformation"],
  [{ kind: "TRANSFORMATION", description: "sha2(x)", masked: true }, "mask", "sha2(x)"],
] as const)("a line of %j has the sign %s and the formula %s", (step, sign, formula) =>
  expect(operationOf(anArrow(step))).toEqual({ sign, formula }),
);

test("a line that is indirect, or without a step, has no sign", () => {
  expect(operationOf(anArrow({ direct: false, kind: "JOIN" }))).toBeNull();
  expect(operationOf({ ...anArrow({}), steps: [] })).toBeNull();
});

test("a column has the formulas of its lines; none if each of them copies", () =>
  expect([
    ...formulasOf([
      anArrow({}),
      anArrow({ kind: "TRANSFORMATION" }, "unsaid"),
      anArrow({}, "both"),
      anArrow({ kind: "AGGREGATION", description: "sum(x)" }, "both"),
      anArrow({ kind: "AGGREGATION", description: "sum(x)" }, "both"),
    ]),
  ]).toEqual([
    ["out", ""],
    ["unsaid", " "],
    ["both", "sum(x)"],
  ]));

const FIELDS = Array.from({ length: 14 }, (_, index) => `c${String(index).padStart(2, "0")}`);
const OF_D = {
  dataset: "d",
  namespace: "n",
  datasetName: "d",
  type: "int",
  stale: false,
  known: true,
  place: null,
  reportedBy: [],
};
const LINES: ColumnLines = {
  columns: FIELDS.map((field) => ({ ...OF_D, id: field, field })),
  sources: new Map(),
  own: new Map(),
  dependencies: new Map(),
  truncated: false,
};
const SHOWING = { path: new Set<string>(), opened: new Map(), first: new Set<string>(), isShown: () => true };

test("a card has twelve columns, those on the path among them, in the order of the schema", () => {
  const columns = LINES.columns.map((column, index) => ({ ...column, place: FIELDS.length - index }));
  const [card] = cardsOf({ ...LINES, columns }, { ...SHOWING, path: new Set(["c00"]) });
  expect(card!.columns.map(({ id }) => id)).toEqual([...FIELDS.slice(3).reverse(), "c00"]);
  expect([card!.hidden, card!.filter]).toEqual([["c02", "c01"], ""]);
});

test("an opened card has all columns with the text of its filter", () => {
  const [card] = cardsOf(LINES, { ...SHOWING, opened: new Map([["d", "C1"]]) });
  expect([card!.columns.map(({ id }) => id), card!.more, card!.filter]).toEqual([
    ["c10", "c11", "c12", "c13"],
    10,
    "C1",
  ]);
});
