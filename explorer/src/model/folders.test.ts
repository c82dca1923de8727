import { expect, test } from "vitest";
import { foldersOf, isIn, narrowedTo } from "./folders";
import { storeOf } from "./titles";

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

const row = (name: string, owner: string, ...tags: string[]) => ({
  namespace: "lake",
  name,
  owners: owner ? [{ name: owner }] : [],
  tags,
});
const ROWS = [
  row("gold.revenue", "team:finance", "sox", "daily"),
  row("gold.dim_date", "team:platform", "daily"),
  row("silver.orders", "team:shop"),
  row("silver.Payments", "", "pii"),
];
const ANY = { owner: "", tag: "", folder: "" };

test.each([
  ["nothing", ANY, "", ["gold.revenue", "gold.dim_date", "silver.orders", "silver.Payments"]],
  ["an owner", { ...ANY, owner: "team:shop" }, "", ["silver.orders"]],
  ["a tag", { ...ANY, tag: "daily" }, "", ["gold.revenue", "gold.dim_date"]],
  ["a folder", { ...ANY, folder: "silver" }, "", ["silver.orders", "silver.Payments"]],
  ["all of them", { owner: "team:finance", tag: "daily", folder: "gold" }, "", ["gold.revenue"]],
  ["words in any case and order", ANY, "PAY silver", ["silver.Payments"]],
  ["a word of the tags", ANY, " sox ", ["gold.revenue"]],
  ["what no row has", { ...ANY, tag: "sox" }, "orders", []],
])("a list is narrowed to %s", (_, filter, typed, names) => {
  expect(narrowedTo(ROWS, filter, typed).map(({ name }) => name)).toEqual(names);
});

test.each([
  ["s3://lake", "S3"],
  ["s3a://lake", "S3"],
  ["snowflake://nordwind.eu-central-1", "Snowflake"],
  ["kafka://broker.nordwind.example:9092", "Kafka"],
  ["abfss://container@account.dfs.core.windows.net", "Azure storage"],
  ["arn:aws:glue:eu-central-1:123456789012", "Glue catalog"],
  ["arn:aws-cn:redshift:cn-north-1:1", "Redshift"],
  ["sqlserver://host:1433", "SQL Server"],
  ["bigquery", "BigQuery"],
  ["file", "files"],
  ["dashboards", "dashboards"],
  ["my-own-catalog", undefined],
  ["constructor", undefined],
  ["", undefined],
])("the sign of a dataset in %s is that of %s", (namespace, name) => expect(storeOf(namespace)?.name).toBe(name));
