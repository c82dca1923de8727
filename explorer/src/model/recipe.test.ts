import { describe, expect, test } from "vitest";
import { aColumn, aSource, linesTo } from "./an-item.test-data";
import type { Source, Step } from "./columns";
import { sortFlows } from "./flows";
import { recipeOf, textOf } from "./recipe";

const source = (name: string, description = "", more: Partial<Step> = {}) =>
  aSource(name, { kind: description ? "TRANSFORMATION" : "IDENTITY", description, ...more });
const recipe = (sources: Record<string, Source[]>, of: string) => recipeOf(linesTo(sources), aColumn(of).id);
const text = (sources: Record<string, Source[]>, of: string) => textOf(recipe(sources, of), (id) => id.split(":")[2]!);

describe("a recipe", () => {
  test("goes from the column back to its sources, each column once", () => {
    const words = text(
      {
        sum: [source("a", "a + b"), source("b", "a + b")],
        a: [source("raw", "trim(raw)")],
        b: [source("raw", "hash(raw)", { masked: true })],
      },
      "sum",
    );
    expect(words).toBe(
      "1. sum is a + b, of a, b.\n2. a is trim(raw), of raw.\n3. b is hash(raw), of raw, masked.\nIt begins in raw.",
    );
  });

  test("takes copies of copies as one", () => {
    expect(text({ gold: [source("silver")], silver: [source("bronze")], bronze: [source("topic")] }, "gold")).toBe(
      "1. gold is a copy of topic by way of silver, bronze.\nIt begins in topic.",
    );
  });

  test("leaves out what is merely a condition, and ends in a circle", () => {
    expect(text({ a: [source("b", "", { direct: false, kind: "JOIN" })] }, "a")).toBe("");
    expect(text({ a: [source("b", "f(b)")], b: [source("a", "g(a)")] }, "a")).toBe(
      "1. a is f(b), of b.\n2. b is g(a), of a.",
    );
    expect(text({ a: [source("b")], b: [source("c")], c: [source("b")] }, "a").split("\n").length).toBeLessThan(4);
  });

  test("is bounded", () => {
    const long = Object.fromEntries(
      Array.from({ length: 100 }, (_, place) => [`c${place}`, [source(`c${place + 1}`, "x + 1")]]),
    );
    expect(recipe(long, "c0")).toMatchObject({ truncated: true });
    expect(recipe(long, "c0").steps).toHaveLength(60);
  });
});

test("flows without the tag come first, those of failed runs apart, and what is masked or tagged last", () => {
  const column = (name: string) => ({ dataset: { namespace: "n", name }, field: "email" });
  const flow = (name: string, hops: number, more: object = {}) => ({
    column: column(name),
    hops,
    direct: true,
    masked: false,
    certain: true,
    failed: false,
    ...more,
  });
  const sorted = sortFlows(
    [
      flow("far", 3),
      flow("perhaps", 1, { certain: false }),
      flow("near", 1),
      flow("failed", 1, { failed: true }),
      flow("hashed", 1, { masked: true }),
      flow("silver", 1),
      flow("joined", 1, { direct: false }),
    ],
    [{ column: column("silver") }],
  );
  const names = (flows: readonly { column: { dataset: { name: string } } }[]) =>
    flows.map((item) => item.column.dataset.name);
  expect([names(sorted.untagged), names(sorted.failed), names(sorted.rest)]).toEqual([
    ["near", "far", "perhaps"],
    ["failed"],
    ["hashed", "silver", "joined"],
  ]);
});
