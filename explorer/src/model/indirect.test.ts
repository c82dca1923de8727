import { expect, test } from "vitest";

import { aSource } from "./an-item.test-data";
import { NO_LINES } from "./columns";
import { indirectSources } from "./indirect";

const used = (name: string, ...kinds: string[]) => aSource(name, ...kinds.map((kind) => ({ kind, direct: false })));
const ROWS = [used("orders.customer", "JOIN"), used("orders.status", "FILTER", "JOIN"), used("sales.id", "SORT")];
const LINES = {
  ...NO_LINES,
  own: new Map([["datasetField:n:sales:amount", [used("rates.day", "CONDITIONAL")]]]),
  dependencies: new Map([["dataset:n:sales", [...ROWS, { ...used("days", "GROUP_BY"), field: null }]]]),
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
