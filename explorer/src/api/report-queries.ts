/** Queries of reports: usage, provenance, impact. */

import { blankItem, type Item } from "../model/graph";
import type { Impact, Impacted } from "../model/impact";
import { nameOf } from "../url/ids";
import { call } from "./calls";
import { get, getText, type ResponseOf, type Schema } from "./client";
import { type Neighbour, toItem } from "./queries";

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

/** The number of jobs that read each column of a dataset, by name; `any` jobs read it without a report of columns. */
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
