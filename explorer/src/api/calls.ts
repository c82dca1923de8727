/** Queries of routes, and of routes about a node, whose id is cut into namespace and name. */

import { queryOptions } from "@tanstack/react-query";

import { cutsOf, datasetOf, isAmbiguous, learnName } from "../url/ids";
import { Failure, get, type Path, type Query, type ResponseOf } from "./client";

type Parts = Record<string, string>;

/** Return the query of a route: the call is its key. */
export const call = <P extends Path, T = ResponseOf<P>>(path: P, query: Query = {}, parts: Parts = {}) =>
  queryOptions({
    queryKey: [path, query, parts],
    queryFn: ({ signal }) => get(path, { parts, query, signal }) as Promise<T>,
  });

/** Return the query of a route about a dataset or a job, or about a part of it: `{row_id: "183"}`. */
export const callOf = <P extends Path, T = ResponseOf<P>>(
  path: P,
  node: string,
  query: Query = {},
  parts: Parts = {},
) =>
  queryOptions({
    queryKey: [path, node, query, parts],
    queryFn: ({ signal }) => getOf(path, node, query, signal, parts) as Promise<T>,
  });

/** Try the cuts of a node's id, likeliest first, until the API knows the node. */
export async function getOf<P extends Path>(
  path: P,
  node: string,
  query: Query,
  signal?: AbortSignal,
  parts: Parts = {},
) {
  await learnCut(node);
  let failure: unknown;
  for (const { namespace, name } of cutsOf(node)) {
    try {
      return await get(path, { parts: { ...parts, namespace, dataset: name, job: name }, query, signal });
    } catch (error) {
      if (!(error instanceof Failure) || error.status !== 404) throw error;
      failure ??= error;
    }
  }
  const rule = `node: must be dataset:<namespace>:<name> or job:<namespace>:<name>, got ${node}`;
  throw failure ?? new Failure("the address", 400, rule);
}

const asked = new Map<string, Promise<void>>();

/** Learn how an id is cut, where that is not clear: the graph has both parts, so that no route is tried in vain. */
async function learnCut(id: string): Promise<void> {
  if (!isAmbiguous(id)) return;
  const node = datasetOf(id);
  const request = asked.get(node) ?? askCut(node).catch(() => void asked.delete(node));
  asked.set(node, request);
  await request;
}

async function askCut(nodeId: string): Promise<void> {
  const query = { nodeId, depth: 0, direction: "up" as const, fold: 1, form: "summary" as const };
  const { graph } = await get("/api/v1/lineage", { query });
  for (const { id, data } of graph) if (id === nodeId && data) learnName(id, data);
}
