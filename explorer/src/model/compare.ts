/** Changes between two moments: the union of two lineages, and the nodes and arrows of either alone. */

import { arrowsOf, type Item, arrowKey as key, type Lineage, toLineage } from "./graph";

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
  const had = new Set(old.map(key)),
    has = new Set(current.map(key));
  for (const arrow of current) if (!had.has(key(arrow))) arrows.set(key(arrow), "is-added");
  for (const arrow of old) if (!has.has(key(arrow))) arrows.set(key(arrow), "is-removed");
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
  change: "added" | "removed" | "changed";
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
  const was = new Map(before.map(({ name, type }) => [name, type])),
    is = new Map(now.map(({ name, type }) => [name, type]));
  return [
    ...[...is.keys()].filter((name) => !was.has(name)).map((name) => ({ change: "added" as const, name })),
    ...[...was.keys()].filter((name) => !is.has(name)).map((name) => ({ change: "removed" as const, name })),
    ...[...is]
      .filter(([name, type]) => was.has(name) && was.get(name) !== type)
      .map(([name, type]) => ({
        change: "changed" as const,
        name,
        types: [was.get(name) ?? "?", type ?? "?"] as const,
      })),
  ];
}

const SIGNS = { added: "+", removed: "−", changed: "~" } as const;

/** Return a change as a picture and a table write it: `~ amount: int → decimal(12,2)`. */
export const writeChange = ({ change, name, types }: FieldChange): string =>
  `${SIGNS[change]} ${name}${types ? `: ${types.join(" → ")}` : ""}`;
