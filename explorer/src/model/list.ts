/** The rows of a map's list, by hops. */

import type { Comparison, NodeChange } from "./compare";
import { degreeOf, type Item, type Lineage } from "./graph";

export interface ListRow {
  item: Item;
  hops: number;
  inputs: number;
  outputs: number;
  change: NodeChange | null;
  details: readonly string[];
}

export function rowsOf(
  lineage: Lineage,
  hops: ReadonlyMap<string, number>,
  comparison: Comparison | null = null,
): ListRow[] {
  const rows = [...hops].flatMap(([id, hop]) => {
    const item = lineage.items.get(id);
    if (!item) return [];
    const { up: inputs, down: outputs } = degreeOf(lineage, id);
    return [
      {
        item,
        hops: hop,
        inputs,
        outputs,
        change: comparison?.changes.get(id) ?? null,
        details: comparison?.details.get(id) ?? [],
      },
    ];
  });
  return rows.sort((a, b) => a.hops - b.hops || (a.item.name < b.item.name ? -1 : 1));
}
