// @vitest-environment happy-dom
// @vitest-environment-options { "url": "http://localhost/explore/" }
import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";

import { ME, openPage } from "../../a-page.test-data";
import { mine } from "../../parts/mine";

const LAND = { namespace: "emissions", name: "land" };
const OWNED = { owners: [{ name: "team:shop", type: null }], tags: [], type: "BATCH" };
const HOUR_MS = 3_600_000;
const aRun = (hour: number, state = "COMPLETED") => ({
  ...{ id: `run-${hour}`, state, startedAt: new Date(Date.now() - hour * HOUR_MS).toISOString() },
  ...{ endedAt: state === "COMPLETED" ? new Date(Date.now() - hour * HOUR_MS + 240_000).toISOString() : null },
  durationMs: state === "COMPLETED" ? 240_000 : null,
});
const RUNNING = { ...LAND, ...OWNED, latestRun: aRun(13, "RUNNING"), updatedAt: "2025-11-20T12:00:00Z" };
const broken = (name: string, owner: string) => ({
  data: { namespace: "spark", name, owners: [{ name: owner, type: null }], latestRun: null },
  ...{ nodeId: `job:spark:${name}`, runId: "run", error: "boom", since: "2025-11-18T12:00:00Z" },
  ...{ datasets: 2, failedRuns: 1, failsLonger: false },
});
const BROKEN = [broken("payments", "team:shop"), broken("forecast", "team:other")];

const ESTATE = {
  "/api/v1/namespaces": { namespaces: [{ name: "emissions" }], totalCount: 1 },
  "/api/v1/jobs": ({ searchParams }: URL) => {
    const isRunning = searchParams.get("lastRunStates") === "RUNNING";
    return { jobs: isRunning ? [RUNNING] : [], totalCount: Number(isRunning), truncated: false };
  },
  "/api/v1/reports/broken": ({ searchParams }: URL) => {
    // The response for an owner never comes.
    if (searchParams.get("owner")) return new Promise(() => undefined);
    return { broken: BROKEN, totalCount: BROKEN.length, truncated: false, datasetsTruncated: false };
  },
  "/api/v1/namespaces/emissions/jobs/land/runs": { runs: [aRun(37), aRun(61), aRun(85), aRun(109)] },
  "/api/v1/feed": { news: [], totalCount: 0, truncated: false },
  "/api/v1/tags": { tags: [], totalCount: 0 },
};

test("a run that has not ended says for how long it runs, and what is usual", async () => {
  openPage("", ESTATE);
  await screen.findByText("(usually 4 min)", { exact: false });
  screen.getByText("13 h");
});

test("an owner narrows the work at once, and is kept", async () => {
  const { user, calls } = openPage("", ESTATE);
  const work = within(await screen.findByRole("region", { name: "work" }));
  await work.findByRole("link", { name: "forecast" });
  await user.selectOptions(work.getByRole("combobox", { name: "owner" }), "team:shop");
  await waitFor(() => expect(work.queryByRole("link", { name: "forecast" })).toBeNull());
  work.getByRole("link", { name: "payments" });
  expect(calls).toContain("/api/v1/reports/broken?owner=team%3Ashop&limit=12");
  expect(JSON.stringify({ ...localStorage })).toContain("team:shop");
});

test("what is pinned is in the start until it is taken away, or forgotten as a whole", async () => {
  const { user } = openPage("usage?node=datasetField:lake:raw:email", ESTATE);
  await user.click(await screen.findByRole("button", { name: "Pin" }));
  screen.getByRole("button", { name: "Pinned" });
  mine.togglePin({ id: "dataset:lake:checked", namespace: "lake", name: "checked" });
  await user.click(screen.getByRole("link", { name: "Headwater" }));
  const card = within(await screen.findByRole("region", { name: "mine" }));
  card.getByRole("link", { name: "raw. email" });
  await user.click(card.getByRole("button", { name: "unpin checked" }));
  expect(card.queryByRole("link", { name: "checked" })).toBeNull();
  await user.click(card.getByRole("button", { name: "Forget all" }));
  expect(localStorage.length).toBe(0);
});

const WAYS = "the curl that sends a run";

test("an empty stack shows a curl and a capture for its own address", async () => {
  openPage("", { "/api/v1/me": { ...ME, caller: null }, "/api/v1/namespaces": { namespaces: [], totalCount: 0 } });
  const curl = await screen.findByRole("group", { name: WAYS });
  expect(curl.textContent).toMatch(/^curl -sS 'http:\/\/localhost\/api\/v1\/lineage\/batch' \\\n {2}-d '\[\n/);
  expect(screen.getByRole("group", { name: "the lines that capture a job" }).textContent).toBe(
    'import os; os.environ["HEADWATER_URL"] = "http://localhost"\nfrom spark_client import capture\ncapture(spark)',
  );
  expect(screen.queryByRole("button", { name: "Load the demo’s data" })).toBeNull();
  expect(screen.queryByText(/HEADWATER_TOKEN/)).toBeNull();
});

test("with a token the ways name it, and no route of this machine is tried", async () => {
  const me = { ...ME, caller: "token:ab12" };
  const { calls } = openPage("", { "/api/v1/me": me, "/api/v1/namespaces": { namespaces: [], totalCount: 0 } });
  const curl = await screen.findByRole("group", { name: WAYS });
  expect(curl.textContent).toContain('-H "Authorization: Bearer $HEADWATER_TOKEN"');
  screen.getByText(/headwater token create --scope write/);
  expect(calls.filter((call) => call.startsWith("/local"))).toEqual([]);
});

test("a text is copied whole by a click; a text that may not be copied is selected", async () => {
  const { user } = openPage("", { "/api/v1/namespaces": { namespaces: [], totalCount: 0 } });
  const curl = await screen.findByRole("group", { name: WAYS });
  await user.click(screen.getByRole("button", { name: `Copy: ${WAYS}` }));
  await screen.findByText("Copied");
  expect(await navigator.clipboard.readText()).toBe(curl.textContent);
  navigator.clipboard.writeText = () => Promise.reject(new Error("not allowed"));
  await user.click(screen.getByRole("button", { name: "Copy: the lines that capture a job" }));
  await screen.findByText("Selected: copy it by the keyboard");
  expect(getSelection()?.toString()).toMatch(/^import os;/);
});
