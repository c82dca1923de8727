import { expect, test } from "vitest";
import type { Grouping } from "../url/state";
import { anItem } from "./an-item.test-data";
import { type Item, toLineage } from "./graph";
import { GROUPS_MAX, groupsOf, MEMBERS_MAX } from "./groups";

const item = (id: string, change: Partial<Item> = {}) => anItem(id, { name: id.replace("job:", ""), ...change });
const PARTS = { namespace: "s3://lake", owners: ["team:a"], parent: null };
const LAKE = toLineage(
  [
    item("bronze/shop/orders", PARTS),
    item("silver/shop/orders", PARTS),
    item("silver/shop/items", PARTS),
    item("db.gold.revenue", { namespace: "snowflake://dwh" }),
    item("db.gold.cost", { namespace: "snowflake://dwh" }),
    item("db.staging.stg", { namespace: "snowflake://dwh" }),
    item("job:clean", { state: "FAILED", owners: ["team:a"], parent: "nightly" }),
    item("job:split", { state: "COMPLETED", endedAt: "2025-01-01T00:00:00Z", owners: ["team:b"], parent: "nightly" }),
    item("job:load", { state: "RUNNING" }),
  ],
  [
    { from: "bronze/shop/orders", to: "job:clean" },
    { from: "job:clean", to: "silver/shop/orders" },
    { from: "bronze/shop/orders", to: "job:split" },
    { from: "job:split", to: "silver/shop/items" },
    { from: "silver/shop/orders", to: "job:load" },
    { from: "job:load", to: "db.gold.revenue" },
  ],
);
const grouped = (by: Grouping, open: string[] = []) => groupsOf(LAKE, LAKE.items.keys(), by, open);
const titles = (by: Grouping) =>
  [...grouped(by).groups.values()].map(({ title, datasets, jobs }) => `${title} ${datasets} ${jobs}`);

test("datasets are grouped by the first folder that they do not share, with the jobs that write them", () => {
  expect(titles("folder")).toEqual(["bronze 1 0", "silver 2 2", "gold 2 1", "staging 1 0"]);
  const [, silver, gold] = [...grouped("folder").groups.values()];
  expect(silver).toMatchObject({ namespace: "s3://lake", healths: { failed: 1, fresh: 1 } });
  expect(gold!.healths).toEqual({ running: 1 });
});

test("a line between two groups has the number of its jobs", () => {
  expect(grouped("folder").arrows).toEqual([
    { from: "group:s3://lake\nbronze", to: "group:s3://lake\nsilver", jobs: 2 },
    { from: "group:s3://lake\nsilver", to: "group:snowflake://dwh\ndb\ngold", jobs: 1 },
  ]);
});

test("a job with outputs in two groups leads from its inputs to both, not from output to output", () => {
  const arrows = ["in/a job:x", "job:x mart/b", "job:x export/c"].map((text) => text.split(" "));
  const lineage = toLineage(
    ["in/a", "mart/b", "export/c", "job:x"].map((id) => item(id)),
    arrows.map(([from, to]) => ({ from: from!, to: to! })),
  );
  const drawn = groupsOf(lineage, lineage.items.keys(), "folder", []).arrows;
  expect(drawn.map(({ from, to }) => `${from}>${to}`.replaceAll("group:n\n", ""))).toEqual(["in>export", "in>mart"]);
});

test("by namespace, owner or DAG", () => {
  expect(titles("namespace")).toEqual(["lake 3 2", "snowflake dwh 3 1"]);
  expect(titles("owner")).toEqual(["no owner 3 1", "team:a 3 1", "team:b 0 1"]);
  expect(titles("dag")).toEqual(["no DAG 4 1", "nightly 2 2"]);
});

test("an open folder has its folders, an open group its members, the most urgent first; of many the rest stay a group", () => {
  const open = ["group:s3://lake\nsilver"];
  expect(grouped("folder", open).open).toEqual([{ id: "group:s3://lake\nsilver", title: "silver" }]);
  expect([...grouped("folder", open).groups.keys()]).toContain("group:s3://lake\nsilver\nshop");
  const { members, groups, arrows } = grouped("folder", [...open, "group:s3://lake\nsilver\nshop"]);
  expect(members).toEqual(["job:clean", "job:split", "silver/shop/items", "silver/shop/orders"]);
  expect([...groups.keys()]).not.toContain("group:s3://lake\nsilver");
  expect(arrows).toContainEqual({ from: "group:s3://lake\nbronze", to: "job:clean", jobs: 1 });
  const many = toLineage(
    Array.from({ length: MEMBERS_MAX + 5 }, (_, number) => item(`in/${number}`)),
    [],
  );
  const rest = groupsOf(many, many.items.keys(), "folder", ["group:n\nin"]);
  expect([rest.members.length, rest.groups.get("group:n\nin")?.datasets]).toEqual([MEMBERS_MAX, 5]);
});

test("of too many groups the smallest are joined", () => {
  const folders = Array.from({ length: GROUPS_MAX + 3 }, (_, number) => `f${number}`);
  const many = toLineage([...folders.map((folder) => item(`${folder}/a`)), item("f26/b"), item("f25/b")], []);
  const { groups } = groupsOf(many, many.items.keys(), "folder", []);
  expect(groups.size).toBe(GROUPS_MAX);
  expect(groups.get("group:group:")).toMatchObject({ title: "4 smaller groups", datasets: 4 });
  expect([...groups.values()].filter(({ title }) => title === "f25" || title === "f26")).toHaveLength(2);
});
