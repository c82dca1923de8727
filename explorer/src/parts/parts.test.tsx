// @vitest-environment happy-dom
// @vitest-environment-options { "url": "http://localhost/explore/" }
import { render, screen, waitFor, within } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { ME, openPage, refused } from "../a-page.test-data";
import { LongTable } from "./table";

const LAKE = "s3://flights";
const hit = (type: string, name: string, field?: string) => ({
  type,
  name,
  field,
  namespace: LAKE,
  nodeId: field ? `datasetField:${LAKE}:${name}:${field}` : `dataset:${LAKE}:${name}`,
  updatedAt: "2025-11-20T12:00:00Z",
});
const HITS = [hit("DATASET", "estimated"), hit("DATASET_FIELD", "estimated", "co2_kg")];

/** Open the start, whose search finds the hits with the words. */
function openSearch(hits = HITS) {
  const { user, calls } = openPage("tests", {
    "/api/v1/search": ({ searchParams }: URL) => {
      const results = hits.filter((match) => (match.field !== undefined) === (searchParams.get("filter") === "column"));
      return { results, totalCount: results.length, truncated: false };
    },
  });
  return { user, calls, box: screen.getByRole("combobox", { name: /^Find/ }) };
}

test.each([
  ["tag:tier:gold estim", "All that is tagged “tier:gold” and has “estim”", "?q=tag%3Atier%3Agold+estim"],
  ["state:failing rej", "All that fails a test and has “rej”", "?q=rej&state=failing"],
  ["ns:gold", "All that is in “gold”", "?namespace=gold"],
])("%s has a last line that opens its list", async (typed, line, address) => {
  const { user, box } = openSearch();
  await user.type(box, typed);
  await user.click(await screen.findByRole("option", { name: line }));
  expect(location.search).toBe(address);
});

test.each([
  ["estim", "{Enter}", "/explore/map?node=dataset%3As3%3A%2F%2Fflights%3Aestimated"],
  [
    "estim",
    "{ArrowDown}{Enter}",
    "/explore/columns?node=datasetField%3As3%3A%2F%2Fflights%3Aestimated%3Aco2_kg&dir=up",
  ],
  [
    "estim",
    "{ArrowDown}{Shift>}{Enter}{/Shift}",
    "/explore/impact?node=datasetField%3As3%3A%2F%2Fflights%3Aestimated%3Aco2_kg",
  ],
  ["tag:tier:gold", "{Enter}", "/explore/search?tag=tier%3Agold"],
])("after %s, the keys %s lead to %s", async (typed, keys, address) => {
  const { user, box } = openSearch();
  await user.type(box, typed);
  await screen.findAllByRole("option", { name: /estimated/ });
  await user.keyboard(keys);
  await waitFor(() => expect(location.pathname + location.search).toBe(address));
  expect(document.activeElement?.id).toBe("view");
});

test("where no name is like it, Enter looks among records", async () => {
  const { user, box } = openSearch([]);
  await user.type(box, "UA1545");
  await screen.findByRole("option", { name: /among records/ });
  await user.keyboard("{Enter}");
  expect(location.search).toBe("?q=UA1545&kind=record");
});

test.each([
  ["What breaks", "impact"],
  ["co2_kg", "columns"],
])("a click on %s opens the %s of a column", async (text, view) => {
  const { user, box } = openSearch();
  await user.type(box, "estim");
  await user.click(await screen.findByText(text, { selector: ".hits *" }));
  expect(location.pathname).toBe(`/explore/${view}`);
});

test("Escape closes the list, then leaves the box", async () => {
  const { user, box } = openSearch();
  await user.type(box, "estim");
  await screen.findAllByRole("option", { name: /estimated/ });
  await user.keyboard("{Escape}");
  expect(screen.getByRole("listbox", { hidden: true }).hidden).toBe(true);
  await user.keyboard("{Escape}");
  expect(document.activeElement?.id).toBe("view");
});

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

const CHECKED = "/api/v1/namespaces/lake/datasets/checked";
const BY = { producer: null, caller: "user/ann", at: "2025-11-20T12:00:00Z" };

/** A dataset of the service: each change of its annotations is answered with the dataset as it is then. */
function aDataset() {
  const now = {
    id: { namespace: "lake", name: "checked" },
    ...{ namespace: "lake", name: "checked", physicalName: "checked", type: "DB_TABLE", description: null as unknown },
    ...{ fields: [{ name: "seats", type: "int", tags: [] }], facets: {}, tags: [], owners: [], createdAt: BY.at },
    reportedBy: { description: null as unknown, fieldDescriptions: [], owners: [] as unknown[], tags: [] as unknown[] },
  };
  const { reportedBy } = now;
  return {
    [CHECKED]: () => now,
    [`${CHECKED}/description`]: (_: URL, sent: { description: string } | null) => {
      if (sent && sent.description.length > 9) return refused(400, "description: must be at most 9 bytes");
      now.description = sent?.description ?? null;
      reportedBy.description = sent && BY;
      return now;
    },
    [`${CHECKED}/owners/team:forecast`]: ({ searchParams }: URL) => {
      reportedBy.owners.push({ name: "team:forecast", type: searchParams.get("type"), ...BY });
      return now;
    },
    [`${CHECKED}/tags/reviewed`]: () => {
      const isNew = reportedBy.tags.length === 0;
      reportedBy.tags = isNew ? [{ name: "reviewed", field: null, source: "API", ...BY }] : [];
      return now;
    },
  };
}

async function openDialog() {
  const { user } = openPage("dataset?node=dataset:lake:checked", aDataset());
  await user.click(await screen.findByRole("button", { name: "edit checked" }));
  const dialog = within(screen.getByRole("dialog", { name: "edit checked" }));
  return { user, dialog, text: await dialog.findByRole("textbox", { name: "description" }) };
}

test("what is written is shown with who wrote it, and can be taken back", async () => {
  const { user, dialog, text } = await openDialog();
  await user.type(text, "By day.");
  await user.click(dialog.getByRole("button", { name: "Save the description" }));
  await dialog.findByText(/set by user\/ann/);
  // By keyboard alone: a name, its kind, Enter.
  dialog.getByLabelText("new owner").focus();
  await user.keyboard("team:forecast{Tab}STEWARD{Enter}");
  await within(dialog.getByRole("region", { name: "owners" })).findByText("team:forecast");
  await user.type(dialog.getByLabelText("new tag"), "reviewed{Enter}");
  await within(dialog.getByRole("region", { name: "tags" })).findByText("reviewed");
  const lines = screen.getByText("Set here").nextElementSibling!.querySelectorAll("li");
  expect([...lines].map(({ textContent }) => textContent?.split(" set by ")[0])).toEqual([
    "description",
    "owner team:forecast",
    "tag reviewed",
  ]);
  await user.click(dialog.getByRole("button", { name: "remove reviewed" }));
  await user.click(dialog.getByRole("button", { name: "Withdraw it" }));
  await waitFor(() => expect(dialog.queryByRole("button", { name: "Withdraw it" })).toBeNull());
  expect(dialog.queryByText("reviewed")).toBeNull();
});

test("what breaks a rule is refused in the dialog, and what was typed stays", async () => {
  const { user, dialog, text } = await openDialog();
  await user.type(text, "ten letters");
  await user.click(dialog.getByRole("button", { name: "Save the description" }));
  await dialog.findByText("description: must be at most 9 bytes");
  expect(text).toHaveProperty("value", "ten letters");
});

test("a reader who may not write there is offered no editing", async () => {
  openPage("dataset?node=dataset:lake:checked", { ...aDataset(), "/api/v1/me": { ...ME, writes: ["marts"] } });
  await screen.findByRole("link", { name: "Facets" });
  expect(screen.queryByRole("button", { name: /^edit/ })).toBeNull();
});

test("a table of more than a hundred rows has a height, so its rows are virtual", () => {
  const columns = [{ name: "Place", by: (place: number) => place }];
  render(<LongTable label="places" columns={columns} rows={[...Array(101).keys()]} height="none" />);
  expect(screen.getByRole("region").style.maxHeight).toBe("calc(100vh - 240px)");
});
