// @vitest-environment happy-dom
// @vitest-environment-options { "url": "http://localhost/explore/" }
import { screen, within } from "@testing-library/react";
import { expect, test, vi } from "vitest";

import { openPage, refused } from "../a-page.test-data";

const JOB = "job?node=job:emissions:check";
const PATH = "/api/v1/namespaces/emissions/jobs/check";
const ABOUT = {
  ...{ namespace: "emissions", name: "check", type: "BATCH", description: null, parentJobName: null, location: null },
  ...{ latestRun: null, inputs: [], outputs: [], owners: [], tags: [], labels: [], facets: {} },
  reportedBy: { description: null, fieldDescriptions: [], owners: [], tags: [] },
};

test("a failure names the call, and is tried again", async () => {
  let isBusy = true;
  const { user } = openPage(JOB, { [PATH]: () => (isBusy ? refused(503, "busy for now") : ABOUT) });
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toContain("busy for now");
  expect(alert.textContent).toContain(`GET ${PATH}`);
  isBusy = false;
  await user.click(within(alert).getByRole("button", { name: "Try again" }));
  await screen.findByText("Its runs reported no datasets.");
});

test("a page of a gateway is named as such", async () => {
  openPage(JOB, { [PATH]: () => new Response("<html>late</html>", { status: 504 }) });
  await screen.findByText("a gateway or proxy responded, not the API");
});

test("a response in another form is said in words, its error in small", async () => {
  openPage("map?node=dataset:a:b", { "/api/v1/lineage": { graph: [{ id: "dataset:a:b", type: "DATASET" }] } });
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toContain("The response could not be readIt has another form than this page knows");
  expect(alert.querySelector("p:not(.mono)")!.textContent).not.toContain("TypeError");
});

test("a view that cannot be drawn leaves header and search", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const { user } = openPage(JOB, { [PATH]: { name: "check" } });
  await screen.findByText("This view could not be drawn");
  await user.type(screen.getByRole("combobox", { name: /^Find/ }), "estim");
  await screen.findByText(/Nothing has this name|The search did not respond/);
});

test("a token is typed where the API needs it, and kept in memory alone", async () => {
  const sent: string[] = [];
  const { user } = openPage(JOB, { [PATH]: () => refused(401) });
  const dialog = within(await screen.findByRole("dialog", { name: "token" }));
  const answer = vi.mocked(fetch).getMockImplementation()!;
  vi.mocked(fetch).mockImplementation(async (url, init) => {
    const token = new Headers(init?.headers).get("Authorization");
    if (token) sent.push(token);
    return token && String(url).endsWith("/check") ? new Response(JSON.stringify(ABOUT)) : answer(url, init);
  });
  await user.type(dialog.getByLabelText("Token"), "tok-secret");
  await user.click(dialog.getByRole("button", { name: "Use it" }));
  await screen.findByText("Its runs reported no datasets.");
  expect(new Set(sent)).toEqual(new Set(["Bearer tok-secret"]));
  expect(location.href + JSON.stringify([{ ...localStorage }, { ...sessionStorage }])).not.toContain("tok-secret");
});
