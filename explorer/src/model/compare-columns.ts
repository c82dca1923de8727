/** Changes in the lineage of columns between two moments: the union of both, and what changed. */

import { type Column, type ColumnLines, columnArrows, type Source } from "./columns";
import { type Change, changesBetween, SIGNS } from "./compare";
import { titleOfId } from "./titles";

export interface ColumnComparison {
  lines: ColumnLines;
  /** Columns by id. */
  changes: ReadonlyMap<string, Change>;
  /** Lines, as `from→to`. */
  arrows: ReadonlyMap<string, Change>;
  /** Of changed columns, what changed of each. */
  details: ReadonlyMap<string, readonly string[]>;
}

const DETAILS_MAX = 6;

export function compareColumns(before: ColumnLines, now: ColumnLines): ColumnComparison {
  const changes = new Map<string, Change>(),
    details = new Map<string, readonly string[]>(),
    arrows = compareLines(before, now);
  const change = (id: string, text: string) => {
    changes.set(id, "changed");
    details.set(id, [...(details.get(id) ?? []), text]);
  };
  const old = known(before),
    current = known(now);
  for (const [id, column] of current) {
    const was = old.get(id);
    if (was === undefined) changes.set(id, "added");
    else if (was && column && was.fieldType !== column.fieldType)
      change(id, `${was.fieldType || "?"} → ${column.fieldType || "?"}`);
  }
  for (const id of old.keys()) if (!current.has(id)) changes.set(id, "removed");
  // A column whose lines changed has changed, unless it is new or gone as a whole.
  for (const [line, of] of arrows) {
    const cut = line.indexOf("→"),
      [from, to] = [line.slice(0, cut), line.slice(cut + 1)];
    if ((changes.get(to) ?? "changed") === "changed")
      change(to, `${SIGNS[of]} from ${titleOfId(from)}${of === "changed" ? ", in another way" : ""}`);
  }
  for (const [id, texts] of details) details.set(id, shortened(texts));
  return { lines: union(before, now), changes, arrows, details };
}

const shortened = (texts: readonly string[]) =>
  texts.length > DETAILS_MAX
    ? [...texts.slice(0, DETAILS_MAX), `and ${texts.length - DETAILS_MAX} more of its lines`]
    : texts;

/** Return every column that lines name, with its schema where it is known. */
function known(lines: ColumnLines): Map<string, Column | null> {
  const sources = [...lines.sources.values()].flat().filter(({ field }) => field !== null);
  return new Map<string, Column | null>([
    ...sources.map(({ id }) => [id, null] as const),
    ...lines.columns.map((column) => [column.id, column] as const),
  ]);
}

function compareLines(before: ColumnLines, now: ColumnLines): Map<string, Change> {
  const stepsOf = (lines: ColumnLines) =>
    new Map(columnArrows(lines).map(({ from, to, steps }) => [`${from}→${to}`, JSON.stringify(steps)]));
  return changesBetween(stepsOf(before), stepsOf(now));
}

function union(before: ColumnLines, now: ColumnLines): ColumnLines {
  const has = new Set(now.columns.map(({ id }) => id));
  const merge = (old: ReadonlyMap<string, readonly Source[]>, current: ReadonlyMap<string, readonly Source[]>) =>
    new Map(
      [...new Set([...current.keys(), ...old.keys()])].map((id) => {
        const sources = current.get(id) ?? [];
        const met = new Set(sources.map((source) => source.id));
        return [id, [...sources, ...(old.get(id) ?? []).filter((source) => !met.has(source.id))]] as const;
      }),
    );
  return {
    columns: [...now.columns, ...before.columns.filter(({ id }) => !has.has(id))],
    sources: merge(before.sources, now.sources),
    own: merge(before.own, now.own),
    dependencies: merge(before.dependencies, now.dependencies),
    truncated: before.truncated || now.truncated,
  };
}
