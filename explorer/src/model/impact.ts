/** All that lies downstream of a node, with how far and through what. */

import { reach, type Item, type Lineage } from "./graph";

export interface Impacted {
  item: Item;
  hops: number;
  /** The nodes that lead to it, of those one hop nearer. */
  through: readonly Item[];
}

export function impactOf(lineage: Lineage, node: string): Impacted[] {
  const hops = reach(lineage.down, node);
  return [...hops].flatMap(([id, hop]) => {
    const item = lineage.items.get(id);
    if (!item || hop === 0) return [];
    const through = (lineage.up.get(id) ?? []).filter((above) => hops.get(above) === hop - 1).flatMap((above) => lineage.items.get(above) ?? []);
    return [{ item, hops: hop, through }];
  });
}
