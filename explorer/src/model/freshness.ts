/** The age of data: when it was written, and whether from old data, after a failure upstream. */

import { type Item, type Lineage, reach } from "./graph";

export interface Freshness {
  /** True of a dataset whose writer's last run failed or was aborted. */
  late: boolean;
  /** True of a dataset written since the failure of a run upstream: its data is old. */
  isOnOldData: boolean;
  /** When the service knows it: the last write by a run that did not fail. */
  written?: string | null;
}

const isFailed = (item: Item | undefined) => item?.state === "FAILED" || item?.state === "ABORTED";

/** Return the time of the last complete run of a writer; null if no writer is loaded.
 *
 * A dataset's own time is the time of its last event, a reader's included.
 */
export function writtenAt({ items, up }: Lineage, id: string): string | null {
  const ends = (up.get(id) ?? []).flatMap((job) => {
    const writer = items.get(job);
    return writer?.kind === "job" && writer.state === "COMPLETED" && writer.endedAt ? [writer.endedAt] : [];
  });
  return ends.sort().at(-1) ?? null;
}

/** Return "late", "on old data", both, or nothing. */
export const troubleOf = (freshness?: Freshness): string =>
  [freshness?.late && "late", freshness?.isOnOldData && "on old data"].filter(Boolean).join(", ");

/** Return the freshness of the datasets at and below failed jobs, as far as they are loaded: of a past time. */
export function freshnessOf(lineage: Lineage): Map<string, Freshness> {
  const failed = [...lineage.items.values()].filter(isFailed);
  const late = new Set(failed.flatMap(({ id }) => lineage.down.get(id) ?? []));
  const old = new Set<string>();
  const down = withoutOtherParts(lineage);
  for (const { id: job, touchedAt: since } of failed) {
    if (!since) continue;
    for (const output of lineage.down.get(job) ?? [])
      for (const [below, hops] of reach(down, output))
        if (hops > 0 && (writtenAt(lineage, below) ?? "") > since) old.add(below);
  }
  return new Map([...late, ...old].map((id) => [id, { late: late.has(id), isOnOldData: old.has(id) }]));
}

/** The state of a node as the colour of its bar, worst first. */
export type Health = "failed" | "late" | "running" | "fresh" | "unknown";

/** Return a node's health and the time of which its age counts; `written` and `freshness` are a dataset's. */
export function healthOf(
  item: Item,
  written: string | null,
  freshness?: Freshness,
): { health: Health; since: string | null } {
  const since = item.kind === "dataset" ? written : item.state === "RUNNING" ? item.startedAt : item.endedAt;
  if (isFailed(item) || (item.tests?.failed ?? 0) > 0) return { health: "failed", since };
  if (item.stale || freshness) return { health: "late", since };
  if (item.state === "RUNNING") return { health: "running", since };
  return { health: since ? "fresh" : "unknown", since };
}

/** Return the edges down, without edges to jobs with a read of an older part of the dataset. */
function withoutOtherParts({ down, items }: Lineage): Lineage["down"] {
  const marked = [...items.values()].filter(({ otherParts }) => otherParts.length);
  if (!marked.length) return down;
  const ways = new Map(down);
  for (const { id, otherParts } of marked)
    for (const dataset of otherParts)
      ways.set(
        dataset,
        (ways.get(dataset) ?? []).filter((job) => job !== id),
      );
  return ways;
}
