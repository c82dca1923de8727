// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { sequenceOf, sqlOf } from "./row";

const version = (datasetVersion: string, ...identifiers: object[]) => ({
  version: { datasetVersion },
  symlinks: { identifiers },
});
const table = (name: string) => ({ namespace: "hive://m", name, type: "TABLE" });

test.each([
  [
    version("5454964009110479164", table("db.orders")),
    "_row_id",
    "db.orders VERSION AS OF 5454964009110479164",
    "_last_updated_sequence_number",
  ],
  [
    version("5454964009110479164", table("table/db/orders")),
    "_row_id",
    "db.orders VERSION AS OF 5454964009110479164",
    "_last_updated_sequence_number",
  ],
  [version("4"), "_metadata.row_id", "delta.`s3://lake/orders` VERSION AS OF 4", "_metadata.row_commit_version"],
])("%j", (facets, id, from, changed) =>
  expect(sqlOf("s3://lake", "orders", 4, facets)).toBe(`SELECT *, ${id}\nFROM ${from}\nWHERE ${changed} = 4`),
);

test.each([{}, { version: { datasetVersion: "1; DROP TABLE x" } }, { version: 4 }])("%j has no statement", (facets) =>
  expect(sqlOf("s3://lake", "orders", 4, facets)).toBeNull(),
);

test.each([
  [{ headwater_rows: { sequence: 4 } }, 4],
  [{ headwater_rows: { sequence: "4" } }, null],
  [{}, null],
])("%j has the sequence number %j", (facets, sequence) => expect(sequenceOf(facets)).toBe(sequence));
