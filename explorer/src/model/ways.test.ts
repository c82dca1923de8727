import { expect, test } from "vitest";

import { curlOf, intakeOf, UNKNOWN_URL } from "./ways";

const ROOT = "http://127.0.0.1:8080/";
const AT = new Date("2025-11-20T12:00:00Z");
const ARN = "arn:aws:iam::123456789012:user/ann";

test.each([
  ["nobody is checked", null, false, { url: "http://127.0.0.1:8080", needs: "nothing" }],
  ["the page has a token", "token:abc", true, { url: "http://127.0.0.1:8080", needs: "token" }],
  ["another program adds the token", "token:abc", false, { url: UNKNOWN_URL, needs: "token" }],
  ["another program signs", ARN, false, { url: UNKNOWN_URL, needs: "signature" }],
])("where %s, events go to %s", (_, caller, hasToken, intake) =>
  expect(intakeOf(ROOT, caller, hasToken)).toEqual(intake),
);

const sentBy = (command: string) => JSON.parse(/-d '([^']*)'$/.exec(command)![1]!);

test("the command sends the start and the end of one run, with schemas and columns", () => {
  const [start, complete] = sentBy(curlOf(intakeOf(ROOT, null, false), AT));
  expect([start.eventType, start.eventTime]).toEqual(["START", "2025-11-20T11:59:00.000Z"]);
  expect([complete.eventType, complete.eventTime]).toEqual(["COMPLETE", "2025-11-20T12:00:00.000Z"]);
  expect(start.run.runId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(complete.run).toEqual(start.run);
  const [output] = complete.outputs;
  const sources = Object.entries<{ inputFields: { field: string }[] }>(output.facets.columnLineage.fields).map(
    ([column, { inputFields }]) => [column, ...inputFields.map(({ field }) => field)],
  );
  expect(sources).toEqual([
    ["flight_id", "flight_id"],
    ["co2_kg", "distance"],
  ]);
  const columns = [...complete.inputs, output].map(({ facets }) =>
    facets.schema.fields.map(({ name }: { name: string }) => name),
  );
  expect(columns).toEqual([
    ["flight_id", "distance"],
    ["flight_id", "co2_kg"],
  ]);
});

test("the command has the credentials that the API needs, by name and never by value", () => {
  const lineOf = (caller: string | null) => curlOf(intakeOf(ROOT, caller, true), AT).split("  -d ")[0];
  expect(lineOf(null)).toBe("curl -sS 'http://127.0.0.1:8080/api/v1/lineage/batch' \\\n");
  expect(lineOf("token:abc")).toContain('"Authorization: Bearer $HEADWATER_TOKEN"');
  expect(lineOf(ARN)).toContain('--aws-sigv4 "aws:amz:$AWS_REGION:execute-api"');
});
