// @vitest-environment happy-dom
// @vitest-environment-options { "url": "http://localhost/explore/" }
import { screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";

import { ME, openPage } from "../../a-page.test-data";

const RAW = {
  ...{ namespace: "s3://lake", name: "raw", version: "67c0e355-5488", grade: "possibly", run: "01941f29-7c00" },
  ...{ job: "job:etl:load", createdAt: "2025-11-20T12:00:00Z", part: { dimensions: [{ day: "1", hour: "5" }] } },
  ...{ owners: ["ann", "bob"], repairedBy: "02941f29-7c00" },
};
const RUN = { id: "r1", job: { namespace: "etl", name: "load" }, state: "COMPLETED", createdAt: RAW.createdAt };
const OF_RUN = { ...RUN, inputDatasetVersions: [], outputDatasetVersions: [], facets: {}, args: {} };

test("a run's page leads to the versions made of it, as a list and as CSV", async () => {
  const { user, calls } = openPage("run?id=r1", {
    "/api/v1/me": { ...ME, features: [...ME.features, "reportRecall"] },
    "/api/v1/jobs/runs/r1": OF_RUN,
    "/api/v1/reports/recall": { versions: [RAW], cut: ["run r2: is unknown"] },
  });
  await user.click(await screen.findByText("What is made of this"));
  expect(await screen.findByText("~ run r2: is unknown")).toBeTruthy();
  expect(calls.at(-1)).toBe("/api/v1/reports/recall?runId=r1");
  const cells = (await screen.findAllByRole("cell")).map(({ textContent }) => textContent);
  expect(cells[0]).toBe("possibly");
  expect(cells.slice(3, 5)).toEqual(["day=1/hour=5", "ann, bob"]);
  expect(cells.slice(6)).toEqual(["01941f29", "02941f29"]);

  const saved = vi.spyOn(URL, "createObjectURL").mockReturnValue("blob:");
  await user.click(screen.getByText("List as CSV"));
  expect(await (saved.mock.calls[0]![0] as Blob).text()).toContain('"possibly","s3://lake","raw","67c0e355-5488"');
});

test("a version of a dataset is asked for by its node", async () => {
  const { calls } = openPage("recall?node=dataset:s3://lake:raw%23v1", {
    "/api/v1/me": { ...ME, features: [...ME.features, "reportRecall"] },
    "/api/v1/reports/recall": { versions: [], cut: [] },
  });
  expect(await screen.findByText("0 versions")).toBeTruthy();
  expect(decodeURIComponent(calls.at(-1)!)).toBe("/api/v1/reports/recall?nodeId=dataset:s3://lake:raw#v1");
});
