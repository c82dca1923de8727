/** Commands to send the first lineage, for a page without any. */

/** The address for events, and the token of a request. */
export interface Intake {
  url: string;
  needs: "nothing" | "token" | "signature";
}

/** The name for the API's address behind `headwater explore`, which forwards reads alone. */
export const UNKNOWN_URL = "URL_OF_THE_API";

/** Return where this page's events go; `caller` is the API's name for the page, null where nobody is checked. */
export function intakeOf(root: string, caller: string | null, hasToken: boolean): Intake {
  if (!caller) return { url: root.replace(/\/+$/, ""), needs: "nothing" };
  const needs = caller.startsWith("token:") ? "token" : "signature";
  return { url: hasToken ? root.replace(/\/+$/, "") : UNKNOWN_URL, needs };
}

const CREDENTIALS: Record<Intake["needs"], string> = {
  nothing: "",
  token: '  -H "Authorization: Bearer $HEADWATER_TOKEN" \\\n',
  signature:
    '  --aws-sigv4 "aws:amz:$AWS_REGION:execute-api" --user "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY" \\\n' +
    '  -H "x-amz-security-token: $AWS_SESSION_TOKEN" \\\n',
};

/** Return a command for a POSIX shell: it sends the two events of a run with its end at `at`. */
export const curlOf = ({ url, needs }: Intake, at: Date) =>
  `curl -sS '${url}/api/v1/lineage/batch' \\\n${CREDENTIALS[needs]}  -d '${json(eventsOf(at))}'`;

/** Return the lines to capture the writes of a PySpark job. */
export const pysparkOf = ({ url }: Intake) =>
  `import os; os.environ["HEADWATER_URL"] = "${url}"\nfrom spark_client import capture\ncapture(spark)`;

const LASTED_MS = 60_000;
const PRODUCER = "https://example.com/by-hand";
const SPEC = "https://openlineage.io/spec";
const NAMESPACE = "example";

/** Return the events of a run: it makes a table of emissions from flights, column by column. */
function eventsOf(at: Date): unknown[] {
  const flights = { namespace: NAMESPACE, name: "flights" };
  const from = (field: string, subtype: string) => ({
    inputFields: [{ ...flights, field, transformations: [{ type: "DIRECT", subtype }] }],
  });
  const event = (eventType: string, time: Date) => ({
    eventType,
    eventTime: time.toISOString(),
    producer: PRODUCER,
    schemaURL: `${SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent`,
    run: { runId: runIdOf(at) },
    job: { namespace: NAMESPACE, name: "estimate" },
  });
  return [
    event("START", new Date(at.getTime() - LASTED_MS)),
    {
      ...event("COMPLETE", at),
      inputs: [{ ...flights, facets: { schema: schemaOf({ flight_id: "string", distance: "int" }) } }],
      outputs: [
        {
          namespace: NAMESPACE,
          name: "emissions",
          facets: {
            schema: schemaOf({ flight_id: "string", co2_kg: "double" }),
            columnLineage: facet("ColumnLineageDatasetFacet", {
              fields: { flight_id: from("flight_id", "IDENTITY"), co2_kg: from("distance", "TRANSFORMATION") },
            }),
          },
        },
      ],
    },
  ];
}

const facet = (name: string, body: object) => ({
  _producer: PRODUCER,
  _schemaURL: `${SPEC}/facets/1-2-0/${name}.json`,
  ...body,
});

const schemaOf = (types: Record<string, string>) =>
  facet("SchemaDatasetFacet", { fields: Object.entries(types).map(([name, type]) => ({ name, type })) });

/** Return a UUID of version 7 made of this time alone: the command reports the same run each time. */
function runIdOf(at: Date): string {
  const ms = at.getTime().toString(16).padStart(12, "0");
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-000000000000`;
}

const WIDTH = 100;

/** Return JSON, each short value on a line. It holds no apostrophe: a shell takes it between two. */
function json(value: unknown, indent = ""): string {
  const line = JSON.stringify(value, null, 1).replace(/\n */g, " ");
  if (indent.length + line.length <= WIDTH || typeof value !== "object" || value === null) return line;
  const inner = `${indent} `;
  const parts = Array.isArray(value)
    ? value.map((part) => inner + json(part, inner))
    : Object.entries(value).map(([name, part]) => `${inner}"${name}": ${json(part, inner)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${parts.join(",\n")}\n${indent}${close}`;
}
