// @vitest-environment happy-dom
// @vitest-environment-options { "url": "http://localhost/explore/" }
import { screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";

import { openPage } from "../a-page.test-data";

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
