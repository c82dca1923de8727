/** Queries of the views, a function each. Results have the model's types. */

import { queryOptions } from "@tanstack/react-query";
import { type ColumnLines, linesOf } from "../model/columns";
import {
  type Arrow,
  blankItem,
  DRAWN_MAX,
  FOLD_ABOVE,
  type Item,
  type Lineage,
  type State,
  toLineage,
} from "../model/graph";
import type { TestState } from "../model/terms";
import { kindOf, learnName, type NodeName, slashed } from "../url/ids";
import type { PictureState, Side } from "../url/state";
import { call, callOf, Failure, get, getOf, type ResponseOf, type Schema } from "./client";

export type Run = ResponseOf<"/api/v1/jobs/runs/{run_id}">;
export type Dataset = ResponseOf<typeof DATASET>;
export type Job = ResponseOf<typeof JOB>;
export type DatasetVersion = ResponseOf<typeof VERSIONS>["versions"][number];
export type Runs = Schema<"Runs">;
export type Hit = ResponseOf<"/api/v1/search">["results"][number];
export type FieldPaths = ResponseOf<"/v3/namespaces/{namespace}/datasets/{dataset}/fields/{field}/lineage">;
export type RawEvent = ResponseOf<"/api/v1/events/lineage">["events"][number];

// -- the reader

export type Me = ResponseOf<"/api/v1/me">;
export const ME = call("/api/v1/me");

// -- search

interface Searching {
  q: string;
  tag: string;
  state?: TestState;
  limit: number;
  /** The namespace to search; all of them if not given. */
  namespace: string | undefined;
}

export async function search(kind: "name" | "field", searching: Searching, signal?: AbortSignal) {
  const [filter, sort] = [kind === "field" ? "column" : undefined, searching.q ? "relevance" : undefined];
  const query = { ...searching, filter, sort, form: "summary" };
  const { results, totalCount, truncated } = await get("/api/v1/search", { query, signal });
  for (const hit of results) if (hit.field === undefined) learnName(hit.nodeId, hit);
  return { hits: results, total: totalCount, truncated };
}

export const TAGS = call("/api/v1/tags", { limit: 60 });
export const NAMESPACES = call("/api/v1/namespaces", { limit: 50 });

// -- the graph

export interface LineageQuery {
  node: string;
  depth: number;
  at?: string;
  direction: "through" | "up" | "down";
  /** The most neighbours on each side of a node; all of them if not given. */
  fold?: number;
  /** True if the graph has edges between jobs, too. */
  dependencies?: boolean;
  /** True if columns are needed, as for a comparison: they are most of a response. */
  full?: boolean;
}

// A version's graph goes up alone and is never folded.
const VERSION = /#[0-9a-f-]{36}$/;

async function lineage(
  { node, depth, at = "", direction, fold, dependencies, full }: LineageQuery,
  signal?: AbortSignal,
): Promise<Lineage> {
  const sides = VERSION.test(node) ? {} : { direction, fold };
  const form = full ? undefined : "summary";
  const query = { nodeId: node, depth, lineageAt: at, ...sides, dependencies: dependencies || undefined, form };
  const graph = await get("/api/v1/lineage", { query, signal });
  const nodes: readonly GraphNode[] = graph.graph;
  const data = nodes.flatMap(({ inEdges, outEdges }) => [...inEdges, ...outEdges]);
  const arrows: Arrow[] = [
    ...data.map(({ origin: from, destination: to }) => ({ from, to })),
    ...(graph.dependencies ?? []).map(({ origin: from, destination: to }) => ({ from, to, isControl: true })),
  ];
  const more = new Map(nodes.flatMap(({ id, more }) => (more ? [[id, more] as const] : [])));
  return toLineage(nodes.map(toItem), arrows, graph.truncated, more);
}

/** The query of the graph around a node with at most so many neighbours of each as a map draws. */
export const foldedLineage = (node: string, depth: number, at = "", fold = FOLD_ABOVE) =>
  lineageQuery({ node, depth, direction: "through", at, fold });

/** A query of a graph: all views share its key. */
export const lineageQuery = (query: LineageQuery) =>
  queryOptions({ queryKey: ["lineage", query], queryFn: ({ signal }) => lineage(query, signal) });

type GraphChange = ResponseOf<"/api/v1/lineage/history">["changes"][number];

const HISTORY_PAGES_MAX = 3;

/** Return the times of changes around a node, oldest first; null if the graph is too large, or changed too often. */
export async function history(
  node: string,
  depth: number,
  signal?: AbortSignal,
  { since = "1970-01-01T00:00:00Z", until = "" } = {},
): Promise<GraphChange[] | null> {
  const changes: GraphChange[] = [];
  let start = since;
  for (let page = 0; page < HISTORY_PAGES_MAX; page++) {
    try {
      const response = await get("/api/v1/lineage/history", {
        query: { nodeId: node, depth, direction: "through", start, end: until || undefined },
        signal,
      });
      changes.push(...response.changes);
      if (!response.truncated) return changes;
      start = response.until;
    } catch (error) {
      if (error instanceof Failure && error.status === 413) return null;
      throw error;
    }
  }
  return null;
}

export type NeighbourPage = Awaited<ReturnType<typeof neighbours>>;

/** Return a page of a fold's nodes, by name. An empty page may have a next page. */
export async function neighbours(node: string, side: Side, q: string, cursor?: string, signal?: AbortSignal) {
  const page = await get("/api/v1/lineage/neighbours", {
    query: { nodeId: node, side, q, limit: DRAWN_MAX, cursor },
    signal,
  });
  return { items: page.neighbours.map(toItem), cursor: page.cursor };
}

type GraphNode = Schema<"Graph">["graph"][number] | Schema<"ShortGraph">["graph"][number];
export type Neighbour = ResponseOf<"/api/v1/lineage/neighbours">["neighbours"][number];

export function toItem(node: GraphNode | Neighbour): Item {
  const blank = blankItem(node.id, node.type === "JOB" ? "job" : "dataset");
  if (!node.data) return blank;
  learnName(node.id, node.data);
  const shared = {
    ...blank,
    known: true,
    namespace: node.data.namespace,
    name: node.data.name,
    description: node.data.description ?? null,
    tags: "tags" in node.data ? node.data.tags : [],
    owners: "owners" in node.data ? node.data.owners.map(({ name }) => name) : [],
    tests: node.data.tests ?? null,
    createdAt: "createdAt" in node.data ? node.data.createdAt : null,
  };
  if (node.type === "JOB") {
    const run = node.data.latestRun;
    return {
      ...shared,
      state: (run?.state as State | undefined) ?? null,
      runId: run?.id ?? null,
      incomplete: run?.lineageIncomplete ?? false,
      parent: node.data.parentJobName,
      tasks: "tasks" in node ? node.tasks : undefined,
      otherParts: "readsOtherPartOf" in node ? (node.readsOtherPartOf ?? []) : [],
      startedAt: run?.startedAt ?? null,
      endedAt: run?.endedAt ?? null,
      durationMs: run?.durationMs ?? null,
      touchedAt: run?.endedAt ?? run?.startedAt ?? run?.updatedAt ?? null,
    };
  }
  return {
    ...shared,
    touchedAt: node.data.updatedAt,
    writtenAt: ("lastModifiedAt" in node.data ? node.data.lastModifiedAt : node.data.writtenAt) ?? null,
    stale: node.data.stale,
    temporary: node.data.temporary,
    fieldCount: "fieldCount" in node.data ? node.data.fieldCount : node.data.fields.length,
    fields:
      "fields" in node.data
        ? node.data.fields.map(({ name, type, description }) => ({ name, type, description: description ?? null }))
        : [],
  };
}

/** The id in responses for a dataset or column: an alias becomes its dataset. */
export const shownIdQuery = (node: string) => call("/api/v1/reports/impact", { nodeId: node, depth: 0 });

// -- columns

type ColumnsAt = Pick<PictureState, "node" | "depth" | "at" | "dir">;

/**
 * The lines of columns on the drawn sides, as of now or of a time. Sources alone take a fraction of the time.
 *
 * Of a time before the node existed, the `missing` lines; without these a failure.
 */
export const columnsQuery = ({ node, depth, at, dir }: ColumnsAt, missing?: ColumnLines) => {
  const query = { nodeId: node, depth, lineageAt: at, withDownstream: dir !== "up" };
  return queryOptions({
    queryKey: ["columns", node, query, missing !== undefined],
    queryFn: async ({ signal }) => {
      try {
        return linesOf(await get("/api/v1/column-lineage", { query, signal }));
      } catch (error) {
        if (missing && error instanceof Failure && error.status === 404) return missing;
        throw error;
      }
    },
  });
};

export const origins = (node: string) => call("/api/v1/column-lineage/origins", { nodeId: node });

/** The operations that made a column in the last 30 days, by paths. */
export const fieldPaths = ({ namespace, name, field = "" }: NodeName) =>
  call(
    "/v3/namespaces/{namespace}/datasets/{dataset}/fields/{field}/lineage",
    { start: "now-30d", end: "now", view: "simple" },
    { namespace, dataset: name, field: slashed(field) },
  );

// -- datasets, jobs, runs

const DATASET = "/api/v1/namespaces/{namespace}/datasets/{dataset}";
const JOB = "/api/v1/namespaces/{namespace}/jobs/{job}";
export const VERSIONS = `${DATASET}/versions` as const,
  RUNS = `${JOB}/runs` as const;

// Farther runs are a click away.
const RUNS_DEPTH = 3;
// The events of a run, in order of time.
const EVENTS_MAX = 100;

export type TestResult = Schema<"TestResult">;

export const dataset = (node: string) => callOf(DATASET, node);
export const datasetVersions = (node: string, limit: number) => callOf(VERSIONS, node, { limit });

/** Return the query of a version of a dataset, with its schema. */
export const datasetVersion = ({ namespace, name, version }: { namespace: string; name: string; version: string }) =>
  call(`${VERSIONS}/{version}`, {}, { namespace, dataset: name, version });

/** The last result of each test of a dataset, worst first; of a job, of its tests without a dataset. */
export const testsOf = (node: string, at = "") =>
  callOf(kindOf(node) === "job" ? `${JOB}/tests` : `${DATASET}/tests`, node, { lineageAt: at });

/** The results of a dataset's tests, the last first. */
export const datasetTestHistory = (node: string, limit: number) => callOf(`${DATASET}/tests/history`, node, { limit });

export const job = (node: string) => callOf(JOB, node);
export const jobVersions = (node: string, limit: number) => callOf(`${JOB}/versions`, node, { limit });
export const jobRuns = (node: string, limit: number) => callOf<typeof RUNS, Runs>(RUNS, node, { limit });

/** The last ten runs of a job, in short. */
export const lastRuns = (node: string) =>
  callOf<typeof RUNS, Schema<"ShortRuns">>(RUNS, node, { limit: 10, form: "summary" });

/** Return a page of a job's children, failed jobs first, each with its last ten runs. */
export const childJobs = (node: string, limit: number, offset: number, signal?: AbortSignal) =>
  getOf(`${JOB}/children`, node, { limit, offset, sort: "state" }, signal) as Promise<Schema<"Jobs">>;

export const run = (id: string) => call("/api/v1/jobs/runs/{run_id}", {}, { run_id: id });

/** The runs that a run started, in short. */
export const childRuns = (id: string, limit: number) =>
  call<"/api/v1/jobs/runs/{run_id}/children", Runs>("/api/v1/jobs/runs/{run_id}/children", { limit }, { run_id: id });

export const linkedRuns = (id: string, side: "upstream" | "downstream") =>
  call(`/api/v1/runlineage/${side}`, { runId: id, depth: RUNS_DEPTH });

export const runEvents = (runId: string) =>
  call("/api/v1/events/lineage", { runId, sortDirection: "asc", limit: EVENTS_MAX });
