/** Changes between two moments: the union of two lineages, the nodes and arrows of either alone; a map's list. */

import { type Arrow, arrowsOf, degreeOf, type Item, arrowKey as key, type Lineage, toLineage } from "./graph";

export type Change = "added" | "removed" | "changed";

/** Of a node, also "joined": it is new in the graph, but existed before. */
export type NodeChange = Change | "joined";

export interface Comparison {
  lineage: Lineage;
  changes: ReadonlyMap<string, NodeChange>;
  /** `from→to` to `is-added` or `is-removed`. */
  arrows: ReadonlyMap<string, string>;
  details: ReadonlyMap<string, readonly string[]>;
}

/** Compare the lineage as of `since` with a later one. */
export function compareLineages(before: Lineage, now: Lineage, since: string): Comparison {
  const changes = new Map<string, NodeChange>(),
    details = new Map<string, readonly string[]>(),
    arrows = new Map<string, string>();
  const items: Item[] = [...now.items.values()];
  for (const item of now.items.values()) {
    const was = before.items.get(item.id);
    const differs = was ? differences(was, item) : [];
    if (!was) changes.set(item.id, existedAt(item, since) ? "joined" : "added");
    else if (differs.length) {
      changes.set(item.id, "changed");
      details.set(item.id, differs);
    }
  }
  for (const item of before.items.values()) {
    if (now.items.has(item.id)) continue;
    items.push(item);
    changes.set(item.id, "removed");
  }
  const old = arrowsOf(before),
    current = arrowsOf(now);
  const keysOf = (all: readonly Arrow[]) => new Map(all.map((arrow) => [key(arrow), true]));
  for (const [arrow, change] of changesBetween(keysOf(old), keysOf(current))) arrows.set(arrow, `is-${change}`);
  return {
    lineage: toLineage(items, [...current, ...old], before.truncated || now.truncated),
    changes,
    arrows,
    details,
  };
}

const existedAt = ({ createdAt }: Item, time: string) => createdAt !== null && Date.parse(createdAt) < Date.parse(time);

/** Return the added, removed and retyped columns; a side without a schema has no differences. */
function differences(was: Item, is: Item): string[] {
  if (!was.known || !is.known) return [];
  if (!was.fields.length || !is.fields.length) return [];
  return fieldChanges(was.fields, is.fields).map(writeChange);
}

export interface FieldChange {
  change: Change;
  name: string;
  /** Types of a retyped column, before and after. */
  types?: readonly [string, string];
}

interface Typed {
  name: string;
  type: string | null;
}

/** Return the added, removed and retyped columns, in this order. */
export function fieldChanges(before: readonly Typed[], now: readonly Typed[]): FieldChange[] {
  const typesOf = (fields: readonly Typed[]) => new Map(fields.map(({ name, type }) => [name, type]));
  const [was, is] = [typesOf(before), typesOf(now)];
  const changes = [...changesBetween(was, is)].map(([name, change]): FieldChange => {
    return change === "changed"
      ? { change, name, types: [was.get(name) ?? "?", is.get(name) ?? "?"] }
      : { change, name };
  });
  return (["added", "removed", "changed"] as const).flatMap((kind) => changes.filter(({ change }) => change === kind));
}

/** Return the keys that are new or have another value, then the removed keys. */
export function changesBetween<V>(before: ReadonlyMap<string, V>, now: ReadonlyMap<string, V>): Map<string, Change> {
  const changed = [...now].filter(([key, value]) => !before.has(key) || before.get(key) !== value);
  return new Map([
    ...changed.map(([key]) => [key, before.has(key) ? "changed" : "added"] as const),
    ...[...before.keys()].filter((key) => !now.has(key)).map((key) => [key, "removed"] as const),
  ]);
}

export const SIGNS = { added: "+", removed: "−", changed: "~" } as const;

/** Return a change as a picture and a table write it: `~ amount: int → decimal(12,2)`. */
export const writeChange = ({ change, name, types }: FieldChange): string =>
  `${SIGNS[change]} ${name}${types ? `: ${types.join(" → ")}` : ""}`;

export function rowsOf(lineage: Lineage, hopsById: ReadonlyMap<string, number>, comparison: Comparison | null = null) {
  const rows = [...hopsById].flatMap(([id, hops]) => {
    const item = lineage.items.get(id);
    const { up: inputs, down: outputs } = degreeOf(lineage, id);
    const [change, details] = [comparison?.changes.get(id) ?? null, comparison?.details.get(id) ?? []];
    return item ? [{ item, hops, inputs, outputs, change, details }] : [];
  });
  return rows.sort((a, b) => a.hops - b.hops || (a.item.name < b.item.name ? -1 : 1));
}
