/** Queries of lists and reports: jobs by state, datasets, usage, provenance, impact. */

import { queryOptions } from "@tanstack/react-query";
import { blankItem, type Item } from "../model/graph";
import type { Impact, Impacted } from "../model/impact";
import { datasetId, jobId, nameOf } from "../url/ids";
import { call, get, getText, type ResponseOf, type Schema } from "./client";
import { type Hit, type Neighbour, toItem } from "./queries";

type Jobs = "/api/v1/jobs";

/** The jobs with the latest changes, in short. */
export const CHANGED_JOBS = call<Jobs, Schema<"ShortJobs">>("/api/v1/jobs", {
  sort: "updated_at",
  form: "summary",
  limit: 8,
});

/** The jobs whose last run is in one of the states, in short, the last updated of each first. */
export const jobsOfStates = <S extends string>(states: readonly S[], limit: number) =>
  queryOptions({
    queryKey: ["work"],
    queryFn: ({ signal }) =>
      Promise.all(
        states.map(async (state) => {
          const query = { lastRunStates: state, sort: "updated_at", form: "summary", limit };
          return { state, ...((await get("/api/v1/jobs", { query, signal })) as Schema<"ShortJobs">) };
        }),
      ),
  });

export type Broken = Schema<"BrokenReport">["broken"][number];

/** The broken jobs of an owner, or all: a broken job has failed since its last good run. Widest harm first. */
export const brokenJobs = (owner: string, limit: number) => call("/api/v1/reports/broken", { owner, limit });

/** Datasets late or on old data. */
export const OLD_DATA = call("/api/v1/reports/old-data");

/** How long the last run of each job took against its usual time, for the jobs updated last. */
export const durationsQuery = (namespace: string) => ({
  queryKey: ["durations", namespace] as const,
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const query = { namespace: namespace || undefined, limit: 500 };
    const { jobs } = await get("/api/v1/reports/durations", { query, signal });
    return new Map(jobs.map((job) => [job.nodeId, job]));
  },
});

/** The most failing tests in the list. */
export const TESTS_MAX = 500;

/** The tests whose last result is a failure, of a namespace or of all. */
export const failingTests = (namespace: string) => call("/api/v1/tests", { namespace, limit: TESTS_MAX });

export type ShortJob = Schema<"ShortJobs">["jobs"][number];
export type ShortDataset = Schema<"ShortDatasets">["datasets"][number];

interface Listing {
  namespace: string;
  /** The state of the last run; empty: all states. */
  state: string;
  /** Things without an event since this time; empty: all. */
  updatedBefore: string;
  limit: number;
  offset: number;
}

/** Return a page of all jobs or datasets, or of a namespace's, the last updated first. */
export async function listPage<T>(
  of: "jobs" | "datasets",
  { namespace, state, ...page }: Listing,
  signal?: AbortSignal,
): Promise<{ items: T[]; total: number }> {
  const path = namespace ? (`/api/v1/namespaces/{namespace}/${of}` as const) : (`/api/v1/${of}` as const);
  const query = { ...page, lastRunStates: state, sort: "updated_at", form: "summary" };
  const response = await get(path, { parts: { namespace }, query, signal });
  return { items: ("jobs" in response ? response.jobs : response.datasets) as T[], total: response.totalCount };
}

/** The nodes of a namespace as search hits. */
export const browse = (namespace: string, limit: number) =>
  queryOptions({ queryKey: ["browse", namespace], queryFn: ({ signal }) => hitsOf(namespace, limit, signal) });

async function hitsOf(namespace: string, limit: number, signal: AbortSignal) {
  const request = { parts: { namespace }, query: { limit, form: "summary" }, signal };
  const [datasets, jobs] = await Promise.all([
    get("/api/v1/namespaces/{namespace}/datasets", request),
    get("/api/v1/namespaces/{namespace}/jobs", request),
  ]);
  type Named = { name: string; updatedAt: string };
  const toHit =
    (type: "DATASET" | "JOB", idOf: typeof jobId) =>
    ({ name, updatedAt }: Named): Hit => ({ type, name, namespace, updatedAt, nodeId: idOf({ namespace, name }) });
  const hits = [...datasets.datasets.map(toHit("DATASET", datasetId)), ...jobs.jobs.map(toHit("JOB", jobId))];
  return { hits, total: datasets.totalCount + jobs.totalCount };
}

export type Usage = Schema<"UsageReport">;
export type TagUsage = Schema<"TagReport">;
export type Provenance = ResponseOf<"/api/v1/reports/provenance">;

interface Range {
  start: string;
  end: string;
}

const USAGE = "/api/v1/reports/usage";

export const usage = (node: string, range: Range) => call<typeof USAGE, Usage>(USAGE, { nodeId: node, ...range });
export const usageOfTag = (tag: string, range: Range) => call<typeof USAGE, TagUsage>(USAGE, { tag, ...range });
export const usageCsv = (of: { nodeId: string } | { tag: string }, range: Range) =>
  getText(USAGE, { query: { ...of, ...range, format: "csv" } });
export const provenance = (node: string, range: Range) =>
  call("/api/v1/reports/provenance", { nodeId: node, ...range });

/** The number of readers of each column of a dataset, by name; `any` jobs read it without a report of columns. */
export const columnReadersQuery = (node: string) => ({
  queryKey: ["column readers", node] as const,
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const report = await get("/api/v1/reports/column-readers", { query: { nodeId: node }, signal });
    const jobs = new Map(report.columns.map(({ field, jobs }) => [field, jobs]));
    return { jobs, any: report.unreportedJobs, truncated: report.truncated };
  },
});

/** What is downstream of a job, dataset or column, nearest first. */
export const impact = (node: string, depth: number) => ({
  ...call("/api/v1/reports/impact", { nodeId: node, depth }),
  select: toImpact,
});

const toImpact = ({ impacted, truncated }: ResponseOf<"/api/v1/reports/impact">): Impact => ({
  impacted: impacted.map(toImpacted),
  truncated,
});

type Reported = Schema<"ImpactReport" | "ColumnImpactReport">["impacted"][number];

function toImpacted(row: Reported): Impacted {
  const how = "direct" in row ? { direct: row.direct, masked: row.masked, certain: row.certain } : undefined;
  const otherPart = "readsOtherPart" in row;
  return {
    item: itemOf(row),
    hops: row.hops,
    through: row.through,
    ...(otherPart && { otherPart }),
    ...(how && { how }),
  };
}

function itemOf(row: Reported): Item {
  if (row.type !== "DATASET_FIELD") return toItem({ id: row.nodeId, type: row.type, data: row.data } as Neighbour);
  const { namespace, name, field } = row.data
    ? { ...nameOf(row.data.dataset), field: row.data.field }
    : nameOf(row.nodeId);
  return { ...blankItem(row.nodeId, "dataset"), known: row.data !== null, namespace, name: `${name}.${field}` };
}

export const impactCsv = (node: string, depth: number) =>
  getText("/api/v1/reports/impact", { query: { nodeId: node, depth, format: "csv" } });
