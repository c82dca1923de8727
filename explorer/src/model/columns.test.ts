import { expect, test } from "vitest";
import { aColumn, aSource, linesTo } from "./an-item.test-data";
import { cardsOf, columnArrows, formulasOf, indirectSources, NO_LINES, operationOf, type Step } from "./columns";

const anArrow = (step: Partial<Step>) => columnArrows(linesTo({ out: [aSource("in.x", step)] }))[0]!;

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

test("a column has the formulas of its lines; none if each of them copies", () => {
  const sum = aSource("in.y", { kind: "AGGREGATION", description: "sum(x)" });
  const unsaid = [aSource("in.x", { kind: "TRANSFORMATION" })];
  const lines = linesTo({ out: [aSource("in.x", {})], unsaid, both: [aSource("in.x", {}), sum, sum] });
  expect([...formulasOf(columnArrows(lines)).values()]).toEqual(["", " ", "sum(x)"]);
});

const FIELDS = Array.from({ length: 14 }, (_, index) => `c${String(index).padStart(2, "0")}`);
const LINES = { ...NO_LINES, columns: FIELDS.map((field) => aColumn(`d.${field}`, { id: field })) };
const SHOWING = { path: new Set<string>(), opened: new Map(), first: new Set<string>(), isShown: () => true };

test("a card has twelve columns, those on the path among them, in the order of the schema", () => {
  const columns = LINES.columns.map((column, index) => ({ ...column, schemaPlace: FIELDS.length - index }));
  const [card] = cardsOf({ ...LINES, columns }, { ...SHOWING, path: new Set(["c00"]) });
  expect(card!.columns.map(({ id }) => id)).toEqual([...FIELDS.slice(3).reverse(), "c00"]);
  expect([card!.hidden, card!.filter]).toEqual([["c02", "c01"], ""]);
});

test("an opened card has all columns with the text of its filter", () => {
  const [card] = cardsOf(LINES, { ...SHOWING, opened: new Map([["dataset:n:d", "C1"]]) });
  expect([card!.columns.map(({ id }) => id), card!.more, card!.filter]).toEqual([
    ["c10", "c11", "c12", "c13"],
    10,
    "C1",
  ]);
});

const aUse = (name: string, ...kinds: string[]) => aSource(name, ...kinds.map((kind) => ({ kind, direct: false })));
const ROWS = [aUse("orders.customer", "JOIN"), aUse("orders.status", "FILTER", "JOIN"), aUse("sales.id", "SORT")];
const INDIRECT = {
  ...NO_LINES,
  own: new Map([["datasetField:n:sales:amount", [aUse("rates.day", "CONDITIONAL")]]]),
  dependencies: new Map([["dataset:n:sales", [...ROWS, { ...aUse("days", "GROUP_BY"), field: null }]]]),
};

test("a dataset is an indirect source once, with all that its columns are aUse for", () => {
  const sources = indirectSources(INDIRECT, "datasetField:n:sales:amount");
  expect(sources.map(({ name, roles, fields }) => [name, roles, fields])).toEqual([
    ["orders", ["join", "filter"], ["customer", "status"]],
    ["days", ["group"], []],
    ["rates", ["conditional"], ["day"]],
  ]);
});

test("what one column depends on alone is none of its dataset's sources", () => {
  expect(indirectSources(INDIRECT, "dataset:n:sales").map(({ name }) => name)).toEqual(["orders", "days"]);
});
