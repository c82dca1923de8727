import { expect, test } from "vitest";

import { foldersOf, isIn } from "./folders";

const WAREHOUSE = [
  "n.gold.revenue",
  "n.gold.dim_date",
  "n.staging.orders",
  "n.staging.items",
  "n.staging.pays",
  "n.raw.one",
];
const inLake = (name: string) => ({ namespace: "lake", name });
const said = (names: readonly string[], within = "") =>
  foldersOf(names.map(inLake), within).map(({ title, count }) => `${title} ${count}`);

test("the folders of names are what follows the segments that all share, the largest first", () => {
  expect(said(WAREHOUSE)).toEqual(["staging 3", "gold 2"]);
  expect(foldersOf(WAREHOUSE.map(inLake), "")[0]!.path).toBe("n/staging");
});

test("a folder opens to its own folders", () => {
  const lake = ["silver/shop/orders", "silver/shop/items", "silver/erp/a", "silver/erp/b", "bronze/a", "bronze/b"];
  expect(said(lake)).toEqual(["silver 4", "bronze 2"]);
  expect(said(lake, "silver")).toEqual(["erp 2", "shop 2"]);
  expect(said(lake, "silver/shop")).toEqual([]);
});

test("names without folders have none", () => {
  expect(said(["orders", "items"])).toEqual([]);
  expect(said([])).toEqual([]);
  expect(said(["a/one", "b/two"])).toEqual([]);
});

test("a slash or a dot in the title of a dashboard is no folder", () =>
  expect(
    foldersOf([inLake("P/L"), ...["P/L EU", "P/L US"].map((name) => ({ namespace: "looker", name }))], ""),
  ).toEqual([]));

test.each([
  ["n.gold.revenue", "n/gold", true],
  ["n.golden.revenue", "n/gold", false],
  ["n.gold", "n/gold", false],
  ["/n//gold/revenue", "n/gold", true],
  ["anything", "", true],
])("%s in %s: %s", (name, folder, is) => expect(isIn(inLake(name), folder)).toBe(is));

test("of many folders the largest are listed", () => {
  const names = Array.from({ length: 60 }, (_, place) => [
    `f${place % 20}/a${place}`,
    `f${place % 20}/b${place}`,
  ]).flat();
  expect(foldersOf(names.map(inLake), "")).toHaveLength(12);
});
