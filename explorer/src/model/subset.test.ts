import { describe, expect, test } from "vitest";

import { textOfSubset } from "./facets";

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
