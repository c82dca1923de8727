/** Queries of records: their search, paths, trees and proofs. */

import { queryOptions } from "@tanstack/react-query";
import { call, get, getText, type ResponseOf } from "./client";

export type SearchRecord = ResponseOf<"/api/v1/records/search">["records"][number];
type Found = ResponseOf<"/api/v1/records/nodes/{node_id}">;
export type Place = Exclude<Found, { matches: unknown }>;
export type RecordProof = ResponseOf<"/api/v1/records/roots/{root_id}/proof">;

export const searchRecords = (
  by: { node?: string; location?: string; action?: string; root?: string | undefined },
  cursor: string | undefined,
  signal?: AbortSignal,
) => get("/api/v1/records/search", { query: { ...by, limit: 50, cursor }, signal });

/** The first roots whose id begins so, and whether there are more. */
export const rootsFrom = (prefix: string) => call("/api/v1/records/roots", { prefix, limit: 50 });

/** A record of each root that has a node of this id: mostly one. */
export const recordNode = (id: string) => ({
  ...call("/api/v1/records/nodes/{node_id}", {}, { node_id: id }),
  select: toMatches,
});

const toMatches = (response: Found): { matches: Place[]; truncated: boolean } =>
  "matches" in response ? response : { matches: [response], truncated: false };

export const rootOutline = (id: string) => call("/api/v1/records/roots/{root_id}/outline", {}, { root_id: id });

const PROOF_PAGES_MAX = 20;

/** The proof of a record, with all digests up to the end of the chain. */
export const proofQuery = (root: string, node: string) =>
  queryOptions({
    queryKey: ["proof", root, node],
    queryFn: ({ signal }) => recordProof(root, node, signal),
    staleTime: 600_000,
  });

async function recordProof(root: string, node: string, signal: AbortSignal): Promise<RecordProof> {
  const ask = (after?: string) =>
    get("/api/v1/records/roots/{root_id}/proof", { parts: { root_id: root }, query: { node, after }, signal });
  const first = await ask();
  const digests = [...first.digests];
  let next = first.next;
  for (let page = 1; next !== null && page < PROOF_PAGES_MAX; page++) {
    const more = await ask(next);
    digests.push(...more.digests);
    next = more.next;
  }
  return { ...first, digests, next };
}

export const rootTrace = (id: string, signal?: AbortSignal) =>
  getText("/api/v1/records/roots/{root_id}/trace", { parts: { root_id: id }, signal });
