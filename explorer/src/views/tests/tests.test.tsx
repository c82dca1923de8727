// @vitest-environment happy-dom
// @vitest-environment-options { "url": "http://localhost/explore/" }
import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";

import { openPage } from "../../a-page.test-data";

const AT = "2025-11-20T12:00:00Z";

test("a failing test leads to its dataset and to its run", async () => {
  const failing = {
    nodeId: "dataset:lake:rejected",
    type: "not_null",
    column: "flight",
    name: null,
    description: null,
  };
  const tests = [{ ...failing, outcome: "FAILED", actual: "3", expected: "0", at: AT, runId: "r1" }];
  openPage("tests", { "/api/v1/tests": { tests, totalCount: 1, truncated: false } });
  const row = within(await screen.findByRole("row", { name: /not_null of flight.* 3 0 / }));
  expect(row.getByRole("link", { name: "run" }).getAttribute("href")).toBe("/explore/run?id=r1");
  expect(row.getByRole("link", { name: "rejected" }).getAttribute("href")).toMatch(/\/dataset\?.*tab=tests$/);
});

test("a level of coverage narrows the jobs", async () => {
  const counts = { total: 2, columns: 1, tables: 1, nothing: 0, parent: 0, silent: 0, outputs: 2, certainOutputs: 1 };
  const job = { namespace: "marts", updatedAt: AT, incomplete: false, outputs: 1, certainOutputs: 1 };
  const { user } = openPage("coverage", {
    "/api/v1/reports/coverage": {
      ...counts,
      ...{ incompleteJobs: 0, truncated: false, namespaces: [], producers: [] },
      jobs: ["columns", "tables"].map((coverage) => ({ ...job, name: `of ${coverage}`, coverage })),
    },
  });
  await user.click(await screen.findByRole("button", { name: "Columns 1" }));
  screen.getByRole("heading", { name: "Columns" });
  const rows = within(screen.getByRole("region", { name: "jobs" }))
    .getAllByRole("row")
    .slice(1);
  expect(rows.map((row) => within(row).getByRole("link").textContent)).toEqual(["of columns"]);
  expect(location.search).toBe("?level=columns");
});

test("what happened is listed by day, and narrowed by kind and namespace", async () => {
  const about = { owners: [], job: null, runId: null, runState: null, failedRuns: null, namespace: "lake" };
  const change = { added: [{ name: "contact", type: null }], dropped: [], retyped: [], leftOut: 0 };
  const all = [
    { ...about, kind: "JOB_FAILS", nodeId: "job:lake:report", at: AT, change: null, failedRuns: 1 },
    { ...about, kind: "SCHEMA_CHANGED", nodeId: "dataset:lake:checked", at: "2025-11-18T12:00:00Z", change },
  ];
  const { user } = openPage("feed", {
    "/api/v1/namespaces": { namespaces: [{ name: "lake" }, { name: "marts" }], totalCount: 2 },
    "/api/v1/feed": ({ searchParams }: URL) => {
      const [kind, namespace] = [searchParams.get("kind"), searchParams.get("namespace")];
      const news = all.filter((entry) => (!kind || entry.kind === kind) && namespace !== "marts");
      return { news, totalCount: news.length, truncated: false };
    },
  });
  const day = within(await screen.findByRole("region", { name: "2025-11-18" }));
  day.getByText("+ contact");
  expect(day.getByRole("link", { name: "checked" }).getAttribute("href")).toMatch(/tab=versions$/);
  screen.getByText("fails, 1 run, since");
  await user.click(screen.getByRole("button", { name: "Schemas" }));
  await screen.findByText(/^1 change\./);
  await user.selectOptions(screen.getByRole("combobox", { name: "namespace" }), "marts");
  await screen.findByText("Nothing new, dropped, changed or failing in these days.");
  expect(location.search).toBe("?kind=SCHEMA_CHANGED&namespace=marts");
});

test("a search counts what there is, and has no column that is empty", async () => {
  const field = { type: "DATASET_FIELD", name: "crm", namespace: "lake", updatedAt: AT };
  const results = ["email", "phone"].map((name) => ({
    ...field,
    field: name,
    nodeId: `datasetField:lake:crm:${name}`,
  }));
  openPage("search?tag=pii", { "/api/v1/search": { results, totalCount: 2, truncated: false } });
  const table = within(await screen.findByRole("region", { name: "found" }));
  screen.getByText("2 columns");
  const heads = table.getAllByRole("columnheader").map(({ textContent }) => textContent);
  expect(heads).toEqual(["Name", "Kind", "Namespace", "Changed"]);
});

test("the events of a run are shown as they were sent, oldest first", async () => {
  const job = { namespace: "marts", name: "report" };
  const run = { id: "r1", job, state: "FAILED", startedAt: AT, endedAt: AT, durationMs: 1, args: {}, facets: {} };
  const { user } = openPage("run?id=r1", {
    "/api/v1/jobs/runs/r1": { ...run, jobVersion: null, inputDatasetVersions: [], outputDatasetVersions: [] },
    "/api/v1/events/lineage": {
      events: ["START", "FAIL"].map((eventType) => ({ eventType, eventTime: AT, producer: "by hand" })),
      totalCount: 2,
    },
  });
  await user.click(await screen.findByText("As they were sent, oldest first"));
  const [first, last] = await screen.findAllByText(/^START$|^FAIL$/);
  expect(first!.textContent).toBe("START");
  await user.click(last!);
  await screen.findByText(/"eventType": "FAIL"/);
});
