/** Queries of lists: jobs by state, datasets, and the datasets on old data. */

import { datasetId, jobId } from "../url/ids";
import { get, type Schema } from "./client";
import type { Hit } from "./queries";

/** Return the jobs with the latest changes, in short form. */
export const changedJobs = async (signal?: AbortSignal) =>
  (await get("/api/v1/jobs", {
    query: { sort: "updated_at", form: "summary", limit: 8 },
    signal,
  })) as Schema<"ShortJobs">;

/** Return the jobs whose last run is in a state, in short, the last updated first. */
export const jobsOfState = async (state: string, limit: number, signal?: AbortSignal) =>
  (await get("/api/v1/jobs", {
    query: { lastRunStates: state, sort: "updated_at", form: "summary", limit },
    signal,
  })) as Schema<"ShortJobs">;

export type Broken = Schema<"BrokenReport">["broken"][number];

/** Return the broken jobs of an owner, or all: a broken job has failed since its last good run. Widest harm first. */
export const brokenJobs = (owner: string, limit: number, signal?: AbortSignal) =>
  get("/api/v1/reports/broken", { query: { owner, limit }, signal });

/** Return the datasets that are late or on old data. */
export const oldData = (signal?: AbortSignal) => get("/api/v1/reports/old-data", { signal });

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

/** Return the tests whose last result is a failure, of a namespace or of all. */
export const failingTests = (namespace: string, signal?: AbortSignal) =>
  get("/api/v1/tests", { query: { namespace, limit: TESTS_MAX }, signal });

export type ShortJob = Schema<"ShortJobs">["jobs"][number];
export type ShortDataset = Schema<"ShortDatasets">["datasets"][number];

interface Listing {
  namespace: string;
  /** Datasets without an event since this time; empty: all. */
  updatedBefore: string;
  limit: number;
  offset: number;
}

/** Return a page of all jobs, or of a namespace's, the last updated first. */
export async function listJobs({ namespace, state, ...page }: Listing & { state: string }, signal?: AbortSignal) {
  const query = { ...page, lastRunStates: state, sort: "updated_at", form: "summary" };
  const response = namespace
    ? await get("/api/v1/namespaces/{namespace}/jobs", { parts: { namespace }, query, signal })
    : await get("/api/v1/jobs", { query, signal });
  return { items: (response as Schema<"ShortJobs">).jobs, total: response.totalCount };
}

/** Return a page of all datasets, or of a namespace's, the last updated first. */
export async function listDatasets({ namespace, ...page }: Listing, signal?: AbortSignal) {
  const query = { ...page, sort: "updated_at", form: "summary" };
  const response = namespace
    ? await get("/api/v1/namespaces/{namespace}/datasets", { parts: { namespace }, query, signal })
    : await get("/api/v1/datasets", { query, signal });
  return { items: (response as Schema<"ShortDatasets">).datasets, total: response.totalCount };
}

/** Return the nodes of a namespace as search hits. */
export async function browse(
  namespace: string,
  limit: number,
  signal?: AbortSignal,
): Promise<{ hits: Hit[]; total: number }> {
  const request = { parts: { namespace }, query: { limit, form: "summary" }, signal };
  const [datasets, jobs] = await Promise.all([
    get("/api/v1/namespaces/{namespace}/datasets", request),
    get("/api/v1/namespaces/{namespace}/jobs", request),
  ]);
  const hits: Hit[] = [
    ...datasets.datasets.map(({ name, updatedAt }) => ({
      type: "DATASET" as const,
      name,
      namespace,
      updatedAt,
      nodeId: datasetId({ namespace, name }),
    })),
    ...jobs.jobs.map(({ name, updatedAt }) => ({
      type: "JOB" as const,
      name,
      namespace,
      updatedAt,
      nodeId: jobId({ namespace, name }),
    })),
  ];
  return { hits, total: datasets.totalCount + jobs.totalCount };
}
