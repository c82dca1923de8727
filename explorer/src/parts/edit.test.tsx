// @vitest-environment happy-dom
// @vitest-environment-options { "url": "http://localhost/explore/" }
import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";

import { ME, openPage, refused } from "../a-page.test-data";

const PATH = "/api/v1/namespaces/lake/datasets/checked";
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
    [PATH]: () => now,
    [`${PATH}/description`]: (_: URL, sent: { description: string } | null) => {
      if (sent && sent.description.length > 9) return refused(400, "description: must be at most 9 bytes");
      now.description = sent?.description ?? null;
      reportedBy.description = sent && BY;
      return now;
    },
    [`${PATH}/owners/team:forecast`]: ({ searchParams }: URL) => {
      reportedBy.owners.push({ name: "team:forecast", type: searchParams.get("type"), ...BY });
      return now;
    },
    [`${PATH}/tags/reviewed`]: () => {
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
