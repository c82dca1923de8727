/** The age of data: when it was written, and whether from old data, after a failure upstream. */

import type { Item, Lineage } from "./graph";

export interface Freshness {
  /** True of a dataset whose writer's last run failed or was aborted. */
  late: boolean;
  /** True of a dataset written since the failure of a run upstream: its data is old. */
  isOnOldData: boolean;
  /** The last write by a run without a failure; null if unknown. */
  written?: string | null;
}

const isFailed = (item: Item | undefined) => item?.state === "FAILED" || item?.state === "ABORTED";

/** When a dataset was written last, as its node or its mark says; null if unknown. Its last event may be a read. */
export const writtenAt = ({ writtenAt }: Item, mark?: Freshness): string | null => writtenAt ?? mark?.written ?? null;

/** When a job ran last, or a dataset was written. */
export const lastOf = (item: Item, mark?: Freshness) => (item.kind === "job" ? item.touchedAt : writtenAt(item, mark));

/** Return "late", "on old data", both, or nothing. */
export const troubleOf = (freshness?: Freshness): string =>
  [freshness?.late && "late", freshness?.isOnOldData && "on old data"].filter(Boolean).join(", ");

/** Return the late datasets of a past time: the outputs of failed jobs, whatever else is loaded. */
export function lateOf({ items, down }: Lineage): Map<string, Freshness> {
  const late = [...items.values()].filter(isFailed).flatMap(({ id }) => down.get(id) ?? []);
  return new Map(late.map((id) => [id, { late: true, isOnOldData: false }]));
}

/** The state of a node as the colour of its bar, worst first. */
export type Health = "failed" | "late" | "running" | "fresh" | "unknown";

/** Return a node's health and the start of its age; `written` and `freshness` are a dataset's. */
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
