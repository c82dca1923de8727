/** What a column depends on without being made of it: datasets whose columns decide which rows there are. */

import { datasetOf } from "../url/ids";
import type { ColumnLines } from "./columns";

export interface IndirectSource {
  /** Id of the dataset. */
  id: string;
  namespace: string;
  name: string;
  /** "join", "filter", "group": what its columns are used for. */
  roles: readonly string[];
  fields: readonly string[];
}

const ROLES: Readonly<Record<string, string>> = { GROUP_BY: "group", INDIRECT: "indirect" };

/** Name what a column is used for, after the subtype of its transformation. */
const roleOf = (kind: string) => ROLES[kind] ?? kind.toLowerCase().replaceAll("_", " ");

/** Return the datasets that a column, or all columns of a dataset, depend on indirectly; its own dataset apart. */
export function indirectSources(lines: ColumnLines, of: string): IndirectSource[] {
  const target = datasetOf(of);
  const sources = new Map<string, IndirectSource>();
  for (const source of [...(lines.dependencies.get(target) ?? []), ...(lines.own.get(of) ?? [])]) {
    if (source.dataset === target) continue;
    const { roles, fields } = sources.get(source.dataset) ?? { roles: [], fields: [] };
    sources.set(source.dataset, {
      id: source.dataset,
      namespace: source.namespace,
      name: source.datasetName,
      roles: [...new Set([...roles, ...source.steps.map(({ kind }) => roleOf(kind))])],
      fields: [...new Set([...fields, ...(source.field === null ? [] : [source.field])])],
    });
  }
  return [...sources.values()];
}
