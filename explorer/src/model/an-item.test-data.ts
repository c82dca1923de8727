/** Nodes and graphs for tests; the id of a job begins with its kind. */

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
