/** The changes of a comparison in reading order, each with its cause. */

import type { components } from "../api/schema";
import { datasetOf, jobId, nameOf } from "../url/ids";
import { type Change, type Comparison, fieldChanges, type NodeChange } from "./compare";
import type { ColumnComparison } from "./compare-columns";
import { plural } from "./format";

interface Cause {
  time: string;
  /** Jobs and runs, null where the reader may not know them. Without runs, a deletion or a declaration did it. */
  runs: readonly { job: string; run: string | null }[];
}

interface OfDataset {
  dataset: string;
  name: string;
}

type Schemas = components["schemas"];

/** A step of the history of a graph. */
export interface Step extends Cause {
  nodes: Schemas["ChangedNodes"];
  edges: Schemas["ChangedEdges"];
  columns: Readonly<Record<keyof Schemas["ChangedColumns"], readonly OfDataset[]>>;
}

/** The changed node or column. */
interface Changed {
  id: string;
  kind: "dataset" | "job" | "field";
  namespace: string;
  /** Of a column, the name of its dataset and its own. */
  name: string;
}

export interface ChangeRow extends Changed {
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
    if (!item) return [];
    const { kind, namespace, name } = item;
    const cause = causeOf(latest, id, change);
    return [{ id, kind, namespace, name, change, details: details.get(id) ?? [], isDrawn: drawn.has(id), cause }];
  });
  return inOrder(rows);
}

/** Return the changes of columns likewise; `drawn` are the visible columns. */
export function columnChangeRows(
  { changes, details }: ColumnComparison,
  drawn: ReadonlySet<string>,
  steps: readonly Step[],
): ChangeRow[] {
  const latest = [...steps].reverse();
  const rows = [...changes].map(([id, change]) => {
    const { namespace, name: dataset, field = "" } = nameOf(id);
    const cause = causeOfColumn(latest, id, change);
    const changed = { id, kind: "field" as const, namespace, name: `${dataset}.${field}` };
    return { ...changed, change, details: details.get(id) ?? [], isDrawn: drawn.has(id), cause };
  });
  return inOrder(rows);
}

function inOrder(rows: readonly ChangeRow[]): ChangeRow[] {
  const time = ({ cause }: ChangeRow) => cause?.time ?? "";
  return [...rows].sort(
    (a, b) =>
      KINDS.indexOf(a.change) - KINDS.indexOf(b.change) ||
      (time(a) === time(b) ? (a.name < b.name ? -1 : 1) : time(a) < time(b) ? 1 : -1),
  );
}

/** Return the last step with a change of a node: its arrival or removal, else a change of its edges or columns. */
function causeOf(latest: readonly Step[], id: string, change: NodeChange): Cause | null {
  const ofColumns = ({ columns: { added, removed, retyped } }: Step) =>
    [...added, ...removed, ...retyped].some(({ dataset }) => dataset === id);
  if (change === "changed") return latest.find(ofColumns) ?? null;
  const side = change === "removed" ? "removed" : "added";
  const ofEdges = ({ edges }: Step) =>
    edges[side].some(({ origin, destination }) => origin === id || destination === id);
  return latest.find(({ nodes }) => nodes[side].includes(id)) ?? latest.find(ofEdges) ?? null;
}

/** Return the last step with a change of a column: of its schema, else the arrival or removal of its dataset. */
function causeOfColumn(latest: readonly Step[], id: string, change: Change): Cause | null {
  const dataset = datasetOf(id),
    field = nameOf(id).field;
  const isOf = (column: OfDataset) => column.dataset === dataset && column.name === field;
  if (change === "changed") return latest.find(({ columns }) => columns.retyped.some(isOf)) ?? null;
  const side = change === "removed" ? "removed" : "added";
  return latest.find(({ columns, nodes }) => columns[side].some(isOf) || nodes[side].includes(dataset)) ?? null;
}

interface Version {
  createdAt: string;
  failed: boolean;
  fields: readonly { name: string; type: string | null }[];
  createdByRun: { id: string; job: { namespace: string; name: string } } | null;
}

/** Return the changes of a dataset's schema between two times as steps, oldest first; `versions` are newest first. */
export function stepsOfVersions(
  dataset: string,
  versions: readonly Version[],
  { vs, at }: { vs: string; at: string },
): Step[] {
  const good = versions.filter(({ failed }) => !failed);
  const steps = good.flatMap(({ createdAt: time, fields, createdByRun: run }, place) => {
    const before = good[place + 1];
    const isBetween = Date.parse(time) > Date.parse(vs) && (!at || Date.parse(time) <= Date.parse(at));
    if (!before || !isBetween) return [];
    const changes = fieldChanges(before.fields, fields);
    if (!changes.length) return [];
    const of = (kind: Change) => changes.filter(({ change }) => change === kind).map(({ name }) => ({ dataset, name }));
    const columns = { added: of("added"), removed: of("removed"), retyped: of("changed") };
    const none = { added: [], removed: [] };
    return [{ time, runs: run ? [{ job: jobId(run.job), run: run.id }] : [], nodes: none, edges: none, columns }];
  });
  return steps.reverse();
}

/** Return the drawn change before or after the selection; without a selection, the first or last change. */
export function nextChange(rows: readonly ChangeRow[], sel: string, by: 1 | -1): ChangeRow | null {
  const drawn = rows.filter(({ isDrawn }) => isDrawn);
  const here = drawn.findIndex(({ id }) => id === sel);
  if (here < 0) return (by > 0 ? drawn[0] : drawn.at(-1)) ?? null;
  return drawn[Math.max(0, Math.min(drawn.length - 1, here + by))] ?? null;
}

const FEW = 3;

/** Return "+ 2 nodes, − column fuel_kg": nodes, else edges; columns by name where they are few. */
export function summaryOf({ nodes, edges, columns }: Omit<Step, "time" | "runs">): string {
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

function named(sign: string, columns: readonly { name: string }[]): string {
  if (!columns.length) return "";
  return columns.length > FEW
    ? `${sign} ${plural(columns.length, "column")}`
    : `${sign} ${columns.length === 1 ? "column" : "columns"} ${columns.map(({ name }) => name).join(", ")}`;
}
