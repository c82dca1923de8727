/** Nodes and graphs for tests; the id of a job begins with its kind. */

import { datasetId, fieldId } from "../url/ids";
import { type Column, type ColumnLines, NO_LINES, type Source, type Step } from "./columns";
import { blankItem, type Degree, type Item, toLineage } from "./graph";

export function anItem(id: string, change: Partial<Item> = {}): Item {
  const kind = id.startsWith("job") ? "job" : "dataset";
  return { ...blankItem(id, kind), namespace: "n", name: id, known: true, ...change };
}

/** The arrows of paths: "raw job:check checked" is a path from raw to checked. */
export const arrowsOfPaths = (paths: readonly string[]) =>
  paths.flatMap((path) => {
    const ids = path.split(" ");
    return ids.slice(1).map((to, index) => ({ from: ids[index]!, to }));
  });

/** The graph of paths; `more` are neighbours that a folded response leaves out. */
export function aLineage(
  paths: readonly string[],
  changes: Record<string, Partial<Item>> = {},
  more: Record<string, Degree> = {},
) {
  const ids = [...new Set(paths.flatMap((path) => path.split(" ")))];
  const items = ids.map((id) => anItem(id, changes[id]));
  return toLineage(items, arrowsOfPaths(paths), false, new Map(Object.entries(more)));
}

/** A column of the namespace `n` by its dataset and its own name: "orders.amount". */
export function aColumn(name: string, change: Partial<Column> = {}): Column {
  const [datasetName = "", field = ""] = name.split(".");
  const of = { namespace: "n", name: datasetName };
  const column = { id: fieldId(of, field), dataset: datasetId(of), field };
  return { ...column, fieldType: "int", stale: false, schemaKnown: true, schemaPlace: null, reportedBy: [], ...change };
}

/** A column as a source, each step a copy but for its changes. */
export const aSource = (name: string, ...steps: Partial<Step>[]): Source => ({
  ...aColumn(name),
  steps: steps.map((step) => ({ direct: true, kind: "IDENTITY", description: null, masked: false, ...step })),
});

/** The lines of columns, by the columns that they lead to. */
export const linesTo = (sources: Record<string, Source[]>): ColumnLines => ({
  ...NO_LINES,
  sources: new Map(Object.entries(sources).map(([name, of]) => [aColumn(name).id, of])),
});
