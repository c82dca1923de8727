/** A column's recipe: the operations that make it, from the column back to its sources, in words. */

import { type ColumnLines, isCopy, type Source } from "./columns";

export type RecipeStep = NonNullable<ReturnType<typeof stepOf>>;

export type Recipe = ReturnType<typeof recipeOf>;

const STEPS_MAX = 60;

/** Return the steps to a column, nearest first, each column once, and the columns of which nothing is reported. */
export function recipeOf(lines: ColumnLines, id: string) {
  const steps: RecipeStep[] = [],
    origins: string[] = [];
  const seen = new Set([id]),
    queue = [id];
  for (let column = queue.shift(); column !== undefined; column = queue.shift()) {
    const step = stepOf(lines, column, seen);
    if (!step) {
      if (column !== id) origins.push(column);
      continue;
    }
    if (steps.length === STEPS_MAX) return { steps, origins, truncated: true };
    steps.push(step);
    for (const source of step.sources) {
      if (!seen.has(source)) queue.push(source);
      seen.add(source);
    }
  }
  return { steps, origins, truncated: false };
}

const directOf = (lines: ColumnLines, id: string) =>
  (lines.sources.get(id) ?? []).filter(
    ({ field, steps }) => field !== null && (!steps.length || steps.some(({ direct }) => direct)),
  );

/** Return a column, its sources and the operation; a copy of copies is one step, `by` the columns between. */
function stepOf(lines: ColumnLines, id: string, seen: ReadonlySet<string>) {
  let sources = directOf(lines, id);
  if (!sources.length) return null;
  const by: string[] = [];
  // A copy of a copy is a copy.
  for (let next = onlyCopy(sources); next !== null && !seen.has(next) && !by.includes(next); next = onlyCopy(sources)) {
    const further = directOf(lines, next);
    if (!onlyCopy(further)) break;
    by.push(next);
    sources = further;
  }
  return {
    id,
    sources: sources.map((source) => source.id),
    how: howOf(sources),
    masked: sources.some(({ steps }) => steps.some(({ masked }) => masked)),
    by,
  };
}

const onlyCopy = (sources: readonly Source[]) =>
  sources.length === 1 && isCopy(sources[0]!.steps) ? sources[0]!.id : null;

function howOf(sources: readonly Source[]): string {
  const texts = sources.flatMap(({ steps }) =>
    steps
      .filter(({ direct }) => direct)
      .map(({ kind, description }) => description || (kind.toUpperCase() === "IDENTITY" ? "" : kind.toLowerCase())),
  );
  return [...new Set(texts.filter(Boolean))].join("; ");
}

/** Return a recipe as lines of text; `titleOf` names a column. */
export function textOf(recipe: Recipe, titleOf: (id: string) => string): string {
  const lines = recipe.steps.map((step, place) => `${place + 1}. ${sentenceOf(step, titleOf)}`);
  return [
    ...lines,
    ...(recipe.origins.length ? [`It begins in ${recipe.origins.map(titleOf).join(", ")}.`] : []),
    ...(recipe.truncated ? ["There is more."] : []),
  ].join("\n");
}

export function sentenceOf({ id, sources, how, masked, by }: RecipeStep, titleOf: (id: string) => string): string {
  const from = sources.map(titleOf).join(", ");
  const through = by.length ? ` by way of ${by.map(titleOf).join(", ")}` : "";
  return how
    ? `${titleOf(id)} is ${how}, of ${from}${masked ? ", masked" : ""}${through}.`
    : `${titleOf(id)} is a copy of ${from}${through}.`;
}
