import { describe, expect, test } from "vitest";
import { fieldChanges, writeChange } from "./compare";
import { parentOf, rowsOf, rowsWritten, runsThatWrote, textOfSubset } from "./facets";

const ORDERS = { namespace: "lake", name: "orders" };
const use = (name: string, facets: Record<string, unknown> = {}) => ({
  datasetVersionId: { namespace: "lake", name },
  facets,
});
const wrote = (rowCount: unknown) => ({
  outputDatasetVersions: [use("other"), use("orders", { outputStatistics: { rowCount } })],
});

test("rows are those of the run's statistics, and none are made up", () => {
  expect(rowsOf(use("a", { outputStatistics: { rowCount: 0 } }))).toBe(0);
  expect(rowsOf(use("a", { inputStatistics: { rowCount: 7 } }))).toBe(7);
  expect([rowsOf({ facets: null }), rowsOf(use("a", { outputStatistics: { rowCount: "7" } }))]).toEqual([null, null]);
});

test("rows written are of the runs that wrote the dataset and counted, in their order", () => {
  const runs = [wrote(3), { outputDatasetVersions: [use("other")] }, wrote(undefined), wrote(5)];
  expect(rowsWritten(runs, ORDERS)).toEqual([3, 5]);
  expect(runsThatWrote(runs, ORDERS)).toEqual([runs[0], runs[2], runs[3]]);
});

test("the run that started a run is that of its facet, and only a whole one", () => {
  const job = { namespace: "airflow", name: "daily" };
  expect(parentOf({ parent: { run: { runId: "r" }, job } })).toEqual({ run: "r", job });
  expect([parentOf({}), parentOf({ parent: { job } }), parentOf({ parent: { run: { runId: 7 }, job } })]).toEqual([
    null,
    null,
    null,
  ]);
});

test("a schema's changes: added, removed and retyped columns, as a picture and a table write them", () => {
  const schema = (columns: Record<string, string | null>) =>
    Object.entries(columns).map(([name, type]) => ({ name, type }));
  const changes = fieldChanges(
    schema({ id: "int", amount: "int", day: "date", note: null }),
    schema({ amount: "decimal(12,2)", id: "int", note: "string", contact: "string" }),
  );
  expect(changes.map(writeChange)).toEqual([
    "+ contact",
    "− day",
    "~ amount: int → decimal(12,2)",
    "~ note: ? → string",
  ]);
});

const field = (name: string) => ({ type: "field", field: name });
const literal = (value: string) => ({ type: "literal", value });
const compare = (left: string, comparison: string, right: string) => ({
  type: "compare",
  left: field(left),
  comparison,
  right: literal(right),
});

describe("a subset", () => {
  test("names partitions by their dimensions, or else by their identifier", () => {
    const partitions = [{ dimensions: { day: "2013-01-01", hour: 5 } }, { identifier: "p2", dimensions: {} }];
    expect(textOfSubset({ inputCondition: { type: "partition", partitions } })).toBe("day=2013-01-01/hour=5, p2");
  });

  test("names the first five locations, and how many more there are", () => {
    const locations = Array.from({ length: 7 }, (_, number) => `s3://lake/${number}`);
    expect(textOfSubset({ outputCondition: { type: "location", locations } })).toBe(
      "s3://lake/0, s3://lake/1, s3://lake/2, s3://lake/3, s3://lake/4 and 2 more",
    );
  });

  test("compares columns, and joins conditions", () => {
    const both = {
      type: "binary",
      operator: "AND",
      left: compare("day", "GREATER_EQUAL_THAN", "2013-01-01"),
      right: compare("carrier", "EQUAL", "UA"),
    };
    expect(textOfSubset({ inputCondition: both })).toBe("(day ≥ 2013-01-01 and carrier = UA)");
  });

  test("is nothing where the facet has another shape", () => {
    for (const facet of [
      null,
      {},
      { inputCondition: { type: "later" } },
      { inputCondition: { type: "partition", partitions: [1] } },
      { inputCondition: compare("a", "LIKE", "b") },
    ]) {
      expect(textOfSubset(facet)).toBeNull();
    }
  });

  test("of conditions in conditions ends", () => {
    let deep: unknown = compare("a", "EQUAL", "b");
    for (let depth = 0; depth < 10_000; depth += 1)
      deep = { type: "binary", operator: "OR", left: deep, right: compare("a", "EQUAL", "b") };
    expect(textOfSubset({ inputCondition: deep })).toContain("…");
  });
});
