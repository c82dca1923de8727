/** What a change of a graph was, in a few words. */

import { plural } from "./format";

interface Named {
  name: string;
}

export interface Change {
  nodes: { added: readonly string[]; removed: readonly string[] };
  edges: { added: readonly unknown[]; removed: readonly unknown[] };
  columns: { added: readonly Named[]; removed: readonly Named[]; retyped: readonly Named[] };
}

const FEW = 3;

/** Return "+ 2 nodes, − column fuel_kg": nodes, else edges; columns by name where they are few. */
export function summaryOf({ nodes, edges, columns }: Change): string {
  const isOfNodes = nodes.added.length + nodes.removed.length > 0;
  const { added, removed } = isOfNodes ? nodes : edges;
  const unit = isOfNodes ? "node" : "edge";
  const parts = [
    counted("+", added.length, unit),
    counted("−", removed.length, unit),
    named("+", columns.added),
    named("−", columns.removed),
    named("~", columns.retyped),
  ];
  return parts.filter(Boolean).join(", ") || "changed";
}

const counted = (sign: string, count: number, unit: string) => (count ? `${sign} ${plural(count, unit)}` : "");

function named(sign: string, columns: readonly Named[]): string {
  if (!columns.length) return "";
  return columns.length > FEW
    ? `${sign} ${plural(columns.length, "column")}`
    : `${sign} ${columns.length === 1 ? "column" : "columns"} ${columns.map(({ name }) => name).join(", ")}`;
}
