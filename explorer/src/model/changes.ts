/** The changes of a comparison in the order in which a reader steps through them, each with what made it. */

import type { Comparison, NodeChange } from "./compare";
import type { Item } from "./graph";

export interface Cause {
  time: string;
  /** Jobs by their nodes, and runs, null where the reader may not know them. Without runs, a deletion or a declaration did it. */
  runs: readonly { job: string; run: string | null }[];
}

interface OfDataset {
  dataset: string;
}

interface Ends {
  origin: string;
  destination: string;
}

/** A step of the history of a graph. */
export interface Step extends Cause {
  nodes: { added: readonly string[]; removed: readonly string[] };
  edges: { added: readonly Ends[]; removed: readonly Ends[] };
  columns: { added: readonly OfDataset[]; removed: readonly OfDataset[]; retyped: readonly OfDataset[] };
}

export interface ChangeRow {
  item: Item;
  change: NodeChange;
  details: readonly string[];
  isDrawn: boolean;
  /** Null where the history does not tell. */
  cause: Cause | null;
}

/** The kinds of changes in the order of the list. */
export const KINDS: readonly NodeChange[] = ["added", "removed", "changed", "joined"];

/** Return the changes by kind, the last of each first; `steps` are the history of the time between, oldest first. */
export function changeRows(
  { lineage, changes, details }: Comparison,
  drawn: ReadonlyMap<string, unknown>,
  steps: readonly Step[],
): ChangeRow[] {
  const latest = [...steps].reverse();
  const rows = [...changes].flatMap(([id, change]) => {
    const item = lineage.items.get(id);
    const cause = causeOf(latest, id, change);
    return item ? [{ item, change, details: details.get(id) ?? [], isDrawn: drawn.has(id), cause }] : [];
  });
  const time = ({ cause }: ChangeRow) => cause?.time ?? "";
  return rows.sort(
    (a, b) =>
      KINDS.indexOf(a.change) - KINDS.indexOf(b.change) ||
      (time(a) === time(b) ? (a.item.name < b.item.name ? -1 : 1) : time(a) < time(b) ? 1 : -1),
  );
}

/** Return the last step that changed a node so: that took it in or out, or else one of its edges, or its columns. */
function causeOf(latest: readonly Step[], id: string, change: NodeChange): Cause | null {
  const ofColumns = ({ columns: { added, removed, retyped } }: Step) =>
    [...added, ...removed, ...retyped].some(({ dataset }) => dataset === id);
  if (change === "changed") return latest.find(ofColumns) ?? null;
  const side = change === "removed" ? "removed" : "added";
  const ofEdges = ({ edges }: Step) =>
    edges[side].some(({ origin, destination }) => origin === id || destination === id);
  return latest.find(({ nodes }) => nodes[side].includes(id)) ?? latest.find(ofEdges) ?? null;
}

/** Return the drawn change before or after the selected one; from none, the first or the last. */
export function nextChange(rows: readonly ChangeRow[], sel: string, by: 1 | -1): ChangeRow | null {
  const drawn = rows.filter(({ isDrawn }) => isDrawn);
  const here = drawn.findIndex(({ item }) => item.id === sel);
  if (here < 0) return (by > 0 ? drawn[0] : drawn.at(-1)) ?? null;
  return drawn[Math.max(0, Math.min(drawn.length - 1, here + by))] ?? null;
}
