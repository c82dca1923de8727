// @vitest-environment happy-dom
// @vitest-environment-options { "url": "http://localhost/explore/" }
import { screen, waitFor, within } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { openPage } from "../a-page.test-data";
import { type Pages, readAll } from "./lists/listed";

const LAKE = "s3://flights";

const aJob = (name: string, owner = "team:emissions") => ({
  namespace: "emissions",
  name,
  type: "BATCH",
  owners: [{ name: owner, type: null }],
  tags: [],
  parentJobName: null,
  updatedAt: "2025-11-20T12:00:00Z",
  latestRun: { state: "COMPLETED", durationMs: 1_000 },
});

const aDataset = (name: string, owner: string, tags: readonly string[] = []) => ({
  namespace: LAKE,
  name,
  owners: [{ name: owner, type: null }],
  tags,
  fieldCount: 2,
  stale: false,
  lastLifecycleState: null,
  updatedAt: "2025-11-20T12:00:00Z",
});

const page = (items: Record<string, unknown[]>, offset: string | null, limit = 500) => {
  const [[name, all]] = Object.entries(items) as [[string, unknown[]]];
  return { [name]: all.slice(Number(offset), Number(offset) + limit), totalCount: all.length };
};

const textsOf = (rows: readonly HTMLElement[]) => rows.map((row) => row.textContent?.split(" ")[0]);

test("a list is narrowed by namespace, owner, tag and last event, as its address says", async () => {
  const datasets = [aDataset("checked", "team:emissions"), aDataset("gold", "team:emissions", ["tier:gold"])];
  const { user, calls } = openPage("datasets", {
    "/api/v1/namespaces": { namespaces: [{ name: LAKE }], totalCount: 1 },
    "/api/v1/datasets": { datasets: [...datasets, aDataset("raw", "team:other")], totalCount: 3 },
    [`/api/v1/namespaces/${LAKE}/datasets`]: { datasets, totalCount: 2 },
  });
  await screen.findByText("3 of 3 datasets");
  await user.selectOptions(await screen.findByRole("combobox", { name: "namespace" }), LAKE);
  await screen.findByText("2 of 2 datasets");
  await user.selectOptions(screen.getByRole("combobox", { name: "owner" }), "team:emissions");
  await user.selectOptions(screen.getByRole("combobox", { name: "tag" }), "tier:gold");
  screen.getByText("1 of 2 datasets");
  expect(location.search).toBe("?namespace=s3%3A%2F%2Fflights&owner=team%3Aemissions&tag=tier%3Agold");
  await user.selectOptions(screen.getByRole("combobox", { name: "last event" }), "30");
  await waitFor(() => expect(calls.join()).toMatch(/updatedBefore=\d{4}-\d\d-\d\dT00%3A00%3A00.000Z/));
});

test("a list is sorted, narrowed to a folder and saved as it is shown", async () => {
  const jobs = ["emissions.land", "emissions.check", "report"].map((name) => aJob(name));
  const { user } = openPage("jobs", { "/api/v1/jobs": { jobs, totalCount: 3 } });
  const table = await screen.findByRole("region", { name: "jobs" });
  const shown = () => textsOf(within(table).getAllByRole("row").slice(1));
  await user.click(within(table).getByRole("button", { name: "Job" }));
  expect(shown()).toEqual(["emissions.check", "emissions.land", "report"]);
  await user.click(within(table).getByRole("button", { name: "Job ↑" }));
  expect(shown()).toEqual(["report", "emissions.land", "emissions.check"]);
  await user.click(screen.getByRole("button", { name: "emissions 2" }));
  expect(shown()).toEqual(["emissions.land", "emissions.check"]);

  const made = vi.spyOn(URL, "createObjectURL");
  await user.click(screen.getByRole("button", { name: "List as CSV" }));
  const csv = await (made.mock.calls[0]![0] as Blob).text();
  expect(csv.split("\r\n").map((line) => line.split(",")[1])).toEqual([
    '"name"',
    '"emissions.land"',
    '"emissions.check"',
    undefined,
  ]);
});

test("jobs are ordered by the last run against the usual one", async () => {
  const jobs = ["check", "land", "report"].map((name) => aJob(name));
  const growths = { check: -0.2, land: 0.1, report: 1.5 };
  const { user } = openPage("jobs", {
    "/api/v1/jobs": { jobs, totalCount: 3 },
    "/api/v1/reports/durations": {
      jobs: Object.entries(growths).map(([name, againstUsual]) => ({
        nodeId: `job:emissions:${name}`,
        ...{ usualMs: 60_000, againstUsual },
      })),
    },
  });
  await user.click(await screen.findByRole("button", { name: "Against usual" }));
  await screen.findByRole("columnheader", { name: "Usually" });
  expect(screen.getAllByText(/^[+−]\d+ %$/).map(({ textContent }) => textContent)).toEqual([
    "+150 %",
    "+10 %",
    "−20 %",
  ]);
  await user.click(screen.getByRole("button", { name: "Failed" }));
  expect(location.search).toBe("?state=FAILED");
});

test("a list that is not whole says so and loads the rest; of its rows, a part is drawn", async () => {
  const jobs = Array.from({ length: 2_600 }, (_, place) => aJob(`reader.${place}`));
  const { user } = openPage("jobs", {
    "/api/v1/jobs": ({ searchParams }: URL) => page({ jobs }, searchParams.get("offset")),
  });
  await screen.findByText("the first 500 of 2,600 jobs");
  screen.getByText(/owners, tags and folders here are of the first 500 alone/);
  expect(screen.getAllByRole("row").length).toBeLessThan(100);
  await user.type(screen.getByLabelText("filter the list"), "reader.1");
  screen.getByText("111 of the first 500, of 2,600 jobs");
  await user.click(screen.getByRole("button", { name: "500 more" }));
  await screen.findByText("111 of the first 1,000, of 2,600 jobs");
  await user.click(screen.getByRole("button", { name: "all 2,600" }));
  await screen.findByText("1,111 of 2,600 jobs");
  expect(screen.queryByText(/alone/)).toBeNull();
});

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

/** A list of so many pages, of which the first `loaded` are loaded. */
function aList(pages: number, loaded: number): Pages<number> {
  return {
    data: { pages: Array.from({ length: loaded }, (_, page) => ({ items: [page], total: pages })) },
    error: null,
    hasNextPage: loaded < pages,
    isFetching: false,
    refetch: () => undefined,
    fetchNextPage: async () => aList(pages, loaded + 1),
  };
}

test("a list is read to its end, and at most ten pages of it", async () => {
  expect(await readAll(aList(3, 1))).toEqual([0, 1, 2]);
  expect(await readAll(aList(99, 1))).toHaveLength(10);
});
