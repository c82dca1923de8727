/** Queries of reports: usage, provenance, impact. */

import { get, getText, type ResponseOf, type Schema } from "./client";
import { toItem, type Neighbour } from "./queries";
import type { Impact } from "../model/impact";

export type Usage = Schema<"UsageReport">;
export type TagUsage = Schema<"TagReport">;
export type Provenance = ResponseOf<"/api/v1/reports/provenance">;

interface Range {
  start: string;
  end: string;
}

export const usage = async (node: string, range: Range, signal?: AbortSignal) => (await get("/api/v1/reports/usage", { query: { nodeId: node, ...range }, signal })) as Usage;
export const usageOfTag = async (tag: string, range: Range, signal?: AbortSignal) => (await get("/api/v1/reports/usage", { query: { tag, ...range }, signal })) as TagUsage;
export const usageCsv = (of: { nodeId: string } | { tag: string }, range: Range) => getText("/api/v1/reports/usage", { query: { ...of, ...range, format: "csv" } });
export const provenance = (node: string, range: Range, signal?: AbortSignal) =>
  get("/api/v1/reports/provenance", { query: { nodeId: node, ...range }, signal });


/** What is downstream of a job or dataset, nearest first. */
export async function impact(node: string, depth: number, signal?: AbortSignal): Promise<Impact> {
  const { impacted, truncated } = await get("/api/v1/reports/impact", { query: { nodeId: node, depth }, signal });
  return { impacted: impacted.map(({ hops, through, nodeId, type, data }) => ({ item: toItem({ id: nodeId, type, data } as Neighbour), hops, through })), truncated };
}

export const impactCsv = (node: string, depth: number) => getText("/api/v1/reports/impact", { query: { nodeId: node, depth, format: "csv" } });
