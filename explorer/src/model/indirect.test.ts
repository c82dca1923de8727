import { expect, test } from "vitest";

import type { ColumnLines, Source } from "./columns";
import { indirectSources } from "./indirect";

const source = (datasetName: string, field: string | null, ...kinds: string[]): Source => ({
  id: field === null ? `dataset:n:${datasetName}` : `datasetField:n:${datasetName}:${field}`,
  dataset: `dataset:n:${datasetName}`,
  namespace: "n",
  datasetName,
  field,
  steps: kinds.map((kind) => ({ direct: false, kind, description: null, masked: false })),
});
const LINES: ColumnLines = {
  columns: [],
  sources: new Map(),
  own: new Map([["datasetField:n:sales:amount", [source("rates", "day", "CONDITIONAL")]]]),
  dependencies: new Map([
    [
      "dataset:n:sales",
      [
        source("orders", "customer", "JOIN"),
        source("orders", "status", "FILTER", "JOIN"),
        source("days", null, "GROUP_BY"),
        source("sales", "id", "SORT"),
      ],
    ],
  ]),
  truncated: false,
};

test("a dataset is an indirect source once, with all that its columns are used for", () => {
  const sources = indirectSources(LINES, "datasetField:n:sales:amount");
  expect(sources.map(({ name, roles, fields }) => [name, roles, fields])).toEqual([
    ["orders", ["join", "filter"], ["customer", "status"]],
    ["days", ["group"], []],
    ["rates", ["conditional"], ["day"]],
  ]);
});

test("what one column depends on alone is none of its dataset's sources", () => {
  expect(indirectSources(LINES, "dataset:n:sales").map(({ name }) => name)).toEqual(["orders", "days"]);
});
