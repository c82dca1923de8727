/** How old data is: when it was written, and what was written after a failure upstream, from old data. */

import { type Item, type Lineage, reach } from "./graph";

export interface Freshness {
  /** True of a dataset whose writer's last run failed or was aborted. */
  late: boolean;
  /** True of a dataset that was written since a failed run was to replace data behind it. */
  isOnOldData: boolean;
}

const isFailed = (item: Item | undefined) => item?.state === "FAILED" || item?.state === "ABORTED";

/** Return when a dataset was last written: by the last run of a job that completed; null if no such job is loaded.
 *
 * A dataset's own time is that of the last event that names it, also one that reads it.
 */
export function writtenAt({ items, up }: Lineage, id: string): string | null {
  const ends = (up.get(id) ?? []).flatMap((job) => {
    const writer = items.get(job);
    return writer?.kind === "job" && writer.state === "COMPLETED" && writer.endedAt ? [writer.endedAt] : [];
  });
  return ends.sort().at(-1) ?? null;
}

/** Return the freshness of the datasets at and below failed jobs. */
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

/** Return the ways down, without those to jobs that read another part of a dataset than was last written. */
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
