// @vitest-environment happy-dom
// @vitest-environment-options { "url": "http://localhost/explore/" }
import { screen, waitFor, within } from "@testing-library/react";
import { expect, test, vi } from "vitest";

import { openPage } from "../../a-page.test-data";

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
