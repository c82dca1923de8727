/** The words of facets of runs, inputs and outputs; an error in short. */

interface Named {
  namespace: string;
  name: string;
}
interface Use {
  datasetVersionId: Named;
  facets: Record<string, unknown>;
}

/** Return the rows of a use of a dataset; null where the run did not count them. */
export function rowsOf(use: { facets: unknown }): number | null {
  const facets = (use.facets ?? {}) as Record<string, { rowCount?: unknown } | null>;
  for (const name of ["outputStatistics", "inputStatistics"]) {
    const rows = facets[name]?.rowCount;
    if (typeof rows === "number") return rows;
  }
  return null;
}

interface Writer {
  outputDatasetVersions: readonly Use[];
}

const outputOf = (run: Writer, { namespace, name }: Named) =>
  run.outputDatasetVersions.find(({ datasetVersionId: id }) => id.namespace === namespace && id.name === name);

/** Return the writers of a dataset among runs. */
export const runsThatWrote = <R extends Writer>(runs: readonly R[], dataset: Named) =>
  runs.filter((run) => outputOf(run, dataset));

/** Return the rows that each run wrote into a dataset, in the order of the runs, without runs with no count. */
export const rowsWritten = (runs: readonly Writer[], dataset: Named): number[] =>
  runs.flatMap((run) => rowsOf(outputOf(run, dataset) ?? { facets: null }) ?? []);

/** Return the text of a member; null of another type. */
export const memberOf = (of: unknown, name: string) => {
  const value = isObject(of) ? of[name] : undefined;
  return typeof value === "string" ? value : null;
};

/** The message of OpenLineage's facet `errorMessage`. */
export const errorOf = (facets: Record<string, unknown>) => memberOf(facets["errorMessage"], "message");

/** Return the run and the job of OpenLineage's facet `parent`; null where it names no run and no job. */
export function parentOf(facets: Record<string, unknown>) {
  const parent = facets["parent"] as Record<string, unknown> | undefined;
  const run = memberOf(parent?.["run"], "runId"),
    namespace = memberOf(parent?.["job"], "namespace"),
    name = memberOf(parent?.["job"], "name");
  return run !== null && namespace !== null && name !== null ? { run, job: { namespace, name } } : null;
}

type Json = Record<string, unknown>;

const COMPARISONS: Record<string, string> = {
  EQUAL: "=",
  GREATER_THAN: ">",
  GREATER_EQUAL_THAN: "≥",
  LESS_THAN: "<",
  LESS_EQUAL_THAN: "≤",
};
const LISTED_MAX = 5,
  DEPTH_MAX = 5;

/** Return the words for a subset facet; null of an unknown facet. */
export function textOfSubset(facet: unknown): string | null {
  const condition = isObject(facet) ? (facet["inputCondition"] ?? facet["outputCondition"]) : null;
  return textOf(condition, DEPTH_MAX);
}

function textOf(condition: unknown, depth: number): string | null {
  if (!isObject(condition)) return null;
  switch (condition["type"]) {
    case "partition":
      return list(condition["partitions"], textOfPartition);
    case "location":
      return list(condition["locations"], (location) => (typeof location === "string" ? location : null));
    case "compare":
      return compared(condition);
    case "binary": {
      if (depth === 0) return "…";
      const [left, right] = [textOf(condition["left"], depth - 1), textOf(condition["right"], depth - 1)];
      return left === null || right === null
        ? null
        : `(${left} ${String(condition["operator"]).toLowerCase()} ${right})`;
    }
    default:
      return null;
  }
}

function textOfPartition(partition: unknown): string | null {
  if (!isObject(partition)) return null;
  const dimensions = isObject(partition["dimensions"]) ? Object.entries(partition["dimensions"]) : [];
  if (dimensions.length)
    return dimensions
      .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
      .join("/");
  return typeof partition["identifier"] === "string" ? partition["identifier"] : null;
}

function compared(condition: Json): string | null {
  const [left, right] = [side(condition["left"]), side(condition["right"])];
  const sign = COMPARISONS[String(condition["comparison"])];
  return left === null || right === null || sign === undefined ? null : `${left} ${sign} ${right}`;
}

function side(expression: unknown): string | null {
  if (!isObject(expression)) return null;
  const value = expression["type"] === "field" ? expression["field"] : expression["value"];
  return typeof value === "string" ? value : null;
}

function list(things: unknown, text: (thing: unknown) => string | null): string | null {
  if (!Array.isArray(things) || !things.length) return null;
  const texts = things
    .slice(0, LISTED_MAX)
    .map(text)
    .filter((line) => line !== null);
  if (!texts.length) return null;
  const left = things.length - Math.min(things.length, LISTED_MAX);
  return texts.join(", ") + (left ? ` and ${left} more` : "");
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

// "Caused by: " of Java, and the last line of a Python traceback.
const CAUSE = /^(?:Caused by: |.*?\bCaused by: )(.*)$/;
const TRACEBACK = "Traceback (most recent call last):";
// A frame of a stack says where, and no more.
const FRAME = /^\s*(at |\.\.\. \d+ (more|common)|File ")/;
const LINE_CHARS_MAX = 300;

/** Return at most two lines of an error. */
export function shortError(text: string): string {
  const lines = text
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "" && !FRAME.test(line));
  const first = lines[0] === TRACEBACK ? lines[lines.length - 1] : lines[0];
  const causes = lines.flatMap((line, place) => (place > 0 ? (CAUSE.exec(line)?.[1] ?? []) : []));
  const cause = causes[causes.length - 1];
  // Where no cause is named, the line below the first says more, as of Spark's.
  const second = cause === undefined ? (lines[0] === TRACEBACK ? undefined : lines[1]) : `Caused by: ${cause}`;
  return [first ?? text, second]
    .filter((line) => line !== undefined)
    .map((line) => (line.length > LINE_CHARS_MAX ? `${line.slice(0, LINE_CHARS_MAX)}…` : line))
    .join("\n");
}

/** Return the last line of an error in short: of a chain of causes, the last. */
export const lastLine = (text: string) => shortError(text).split("\n").at(-1) ?? "";
