/** The rows of a map's list, by hops. */

import type { Comparison } from "./compare";
import { degreeOf, type Lineage } from "./graph";

export function rowsOf(lineage: Lineage, hopsById: ReadonlyMap<string, number>, comparison: Comparison | null = null) {
  const rows = [...hopsById].flatMap(([id, hops]) => {
    const item = lineage.items.get(id);
    const { up: inputs, down: outputs } = degreeOf(lineage, id);
    const [change, details] = [comparison?.changes.get(id) ?? null, comparison?.details.get(id) ?? []];
    return item ? [{ item, hops, inputs, outputs, change, details }] : [];
  });
  return rows.sort((a, b) => a.hops - b.hops || (a.item.name < b.item.name ? -1 : 1));
}
