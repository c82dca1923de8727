import { expect, test } from "vitest";

import { narrowedTo } from "./folders";

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
