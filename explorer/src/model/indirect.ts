/** What a column depends on without being made of it: datasets whose columns decide which rows there are. */

import { datasetOf, nameOf } from "../url/ids";
import type { ColumnLines } from "./columns";
import { groupBy } from "./group-by";

export type IndirectSource = ReturnType<typeof indirectSources>[number];

const ROLES: Readonly<Record<string, string>> = { GROUP_BY: "group", INDIRECT: "indirect" };

/** Name what a column is used for, after the subtype of its transformation. */
const roleOf = (kind: string) => ROLES[kind] ?? kind.toLowerCase().replaceAll("_", " ");

/** Return the datasets that a column, or all columns of a dataset, depend on indirectly, with their roles. */
export function indirectSources(lines: ColumnLines, of: string) {
  const target = datasetOf(of);
  const sources = [...(lines.dependencies.get(target) ?? []), ...(lines.own.get(of) ?? [])];
  const others = sources.filter(({ dataset }) => dataset !== target);
  return [...groupBy(others, ({ dataset }) => dataset)].map(([id, all]) => ({
    ...nameOf(id),
    id,
    roles: [...new Set(all.flatMap(({ steps }) => steps.map(({ kind }) => roleOf(kind))))],
    fields: [...new Set(all.flatMap(({ field }) => field ?? []))],
  }));
}
