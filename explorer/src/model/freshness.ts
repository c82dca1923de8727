/** How old data is: what was written after a failure upstream, from data that is older than itself. */

import { type Item, type Lineage, reach } from "./graph";

export interface Freshness {
  /** True of a dataset whose writer's last run failed or was aborted. */
  late: boolean;
  /** When the oldest data behind it was written that a failed job was to replace; null if there is none. */
  builtOn: string | null;
}

const isFailed = (item: Item | undefined) => item?.state === "FAILED" || item?.state === "ABORTED";

/** Return the freshness of the datasets at and below failed jobs. */
export function freshnessOf(lineage: Lineage): Map<string, Freshness> {
  const freshness = new Map<string, Freshness>();
  const failed = [...lineage.items.values()].filter(isFailed);
  const outputs = new Set(failed.flatMap(({ id }) => lineage.down.get(id) ?? []));
  const down = withoutOtherParts(lineage);
  for (const id of outputs) {
    const written = lineage.items.get(id)?.touchedAt;
    freshness.set(id, { late: true, builtOn: freshness.get(id)?.builtOn ?? null });
    if (!written) continue;
    for (const [below, hops] of reach(down, id)) {
      const item = lineage.items.get(below);
      if (hops === 0 || item?.kind !== "dataset" || !item.touchedAt || item.touchedAt <= written) continue;
      const known = freshness.get(below);
      const oldest = known?.builtOn && known.builtOn < written ? known.builtOn : written;
      freshness.set(below, { late: known?.late ?? outputs.has(below), builtOn: oldest });
    }
  }
  return freshness;
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
