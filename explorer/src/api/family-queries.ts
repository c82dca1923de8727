/** Queries of lists of a job: its last runs in short, and what it, or a run of it, started. */

import { get, type Schema } from "./client";
import { firstFound, type Runs } from "./queries";

/** A page of a job's children, failed jobs first, each with its last ten runs. */
export const childJobs = (node: string, limit: number, offset: number, signal?: AbortSignal) =>
  firstFound(
    node,
    ({ namespace, name }) =>
      get("/api/v1/namespaces/{namespace}/jobs/{job}/children", {
        parts: { namespace, job: name },
        query: { limit, offset, sort: "state" },
        signal,
      }) as Promise<Schema<"Jobs">>,
  );

/** The last ten runs of a job, in short. */
export const lastRuns = (node: string, signal?: AbortSignal) =>
  firstFound(
    node,
    ({ namespace, name }) =>
      get("/api/v1/namespaces/{namespace}/jobs/{job}/runs", {
        parts: { namespace, job: name },
        query: { limit: 10, form: "summary" },
        signal,
      }) as Promise<Schema<"ShortRuns">>,
  );

/** Return the runs that a run started, in short. */
export const childRuns = (id: string, limit: number, signal?: AbortSignal) =>
  get("/api/v1/jobs/runs/{run_id}/children", { parts: { run_id: id }, query: { limit }, signal }) as Promise<Runs>;
