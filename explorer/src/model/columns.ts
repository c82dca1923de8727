/** Columns, their sources, and the datasets behind the choice of its rows. */

import type { components } from "../api/schema";
import { datasetId, datasetOf, fieldId, learnName, nameOf, unversioned } from "../url/ids";
import { type Arrow, reach, sides } from "./graph";
import { groupBy } from "./group-by";

type Response = components["schemas"]["ColumnGraph"];
type Data = NonNullable<Response["graph"][number]["data"]>;

export type Column = { id: string; dataset: string } & Pick<
  Data,
  "field" | "fieldType" | "stale" | "schemaKnown" | "schemaPlace" | "reportedBy"
>;
/** A source column; of a dataset without reported columns, the dataset. */
export type Source = ReturnType<typeof toSource>;
export type Step = Source["steps"][number];

export interface ColumnLines {
  columns: readonly Column[];
  sources: ReadonlyMap<string, readonly Source[]>;
  /** A column's indirect sources: a join, a filter. */
  own: ReadonlyMap<string, readonly Source[]>;
  /** The indirect sources of all columns of a dataset. */
  dependencies: ReadonlyMap<string, readonly Source[]>;
  truncated: boolean;
}

export const NO_LINES: ColumnLines = linesOf({ graph: [], datasets: [], truncated: false });

export function linesOf({ graph, datasets, truncated }: Response): ColumnLines {
  const columns = graph.flatMap(({ id, data }) =>
    data
      ? [{ ...data, id: unversioned(id), dataset: learnedId({ namespace: data.namespace, name: data.dataset }) }]
      : [],
  );
  return {
    columns,
    sources: new Map(columns.map(({ id, inputFields }) => [id, inputFields.map(toSource)])),
    own: new Map(columns.map(({ id, datasetDependencies: uses }) => [id, uses.map(toSource)])),
    dependencies: new Map(datasets.map(({ id, datasetDependencies: uses }) => [unversioned(id), uses.map(toSource)])),
    truncated,
  };
}

function toSource({ namespace, dataset: name, field, transformations }: Data["inputFields"][number]) {
  const dataset = { namespace, name };
  return {
    id: field === null ? datasetId(dataset) : fieldId(dataset, field),
    dataset: learnedId(dataset),
    field,
    steps: transformations.map(({ type, subtype, description, masking }) => ({
      direct: type !== "INDIRECT",
      kind: subtype ?? type,
      description,
      masked: masking === true,
    })),
  };
}

/** Return the id of a dataset, and remember how the ids of its columns are cut. */
function learnedId(dataset: { namespace: string; name: string }): string {
  learnName(datasetId(dataset), dataset);
  return datasetId(dataset);
}

export interface ColumnArrow extends Arrow {
  steps: readonly Step[];
  direct: boolean;
  masked: boolean;
}

const COLUMNS_SHOWN = 12;

/** A line from source to column. A direct use counts more than an indirect use. */
export function columnArrows(lines: ColumnLines): ColumnArrow[] {
  return [...lines.sources].flatMap(([to, sources]) =>
    sources
      .filter((source) => source.field !== null)
      .map((source) => ({
        from: source.id,
        to,
        steps: source.steps,
        direct: !source.steps.length || source.steps.some((step) => step.direct),
        masked: source.steps.some((step) => step.masked),
      })),
  );
}

/** True of a value passed on as it is. */
export const isCopy = (steps: readonly Step[]) =>
  steps.every(({ kind, description, masked }) => kind.toUpperCase() === "IDENTITY" && !masked && !description);

/** Return the sign of a line's operation and its formula; null for a line without an operation. */
export function operationOf({ steps, direct, masked }: ColumnArrow): { sign: string; formula: string } | null {
  if (!direct || !steps.length) return null;
  if (isCopy(steps)) return { sign: "=", formula: "a copy" };
  const formula = steps.map(({ kind, description }) => description || kind.toLowerCase()).join("; ");
  if (masked) return { sign: "mask", formula };
  if (steps.some(({ kind }) => kind.toUpperCase() === "AGGREGATION")) return { sign: "Σ", formula };
  return { sign: /^\s*(try_)?cast\s*\(/i.test(formula) ? "cast" : "ƒ", formula };
}

/** Return the formula of each column at the end of a line; "" if all lines copy a value, " " without a description. */
export function formulasOf(arrows: readonly ColumnArrow[]): Map<string, string> {
  const formulas = new Map<string, Set<string>>();
  for (const arrow of arrows) {
    const described = arrow.direct ? arrow.steps.flatMap(({ description }) => description || []).join("; ") : "";
    const of = formulas.get(arrow.to) ?? new Set();
    formulas.set(arrow.to, of);
    if (operationOf(arrow)?.sign !== "=") of.add(described || " ");
  }
  const textOf = (of: Set<string>) => [...of].filter((text) => text !== " ").join("; ") || [...of].join("");
  return new Map([...formulas].map(([id, of]) => [id, textOf(of)]));
}

interface CardColumn {
  id: string;
  field: string;
  type: string | null;
}

export interface Card {
  id: string;
  namespace: string;
  name: string;
  stale: boolean;
  columns: readonly CardColumn[];
  /** How many columns are not drawn, and their ids. */
  more: number;
  hidden: readonly string[];
  /** The filter of a card with more columns than are drawn at first. */
  filter: string | null;
}

interface Showing {
  path: ReadonlySet<string>;
  /** The cards with all their columns, each with its filter. */
  opened: ReadonlyMap<string, string>;
  /** The columns before the rest, as of a comparison. */
  first: { has: (id: string) => boolean };
  isShown: (id: string, dataset: string) => boolean;
}

/** A card for each dataset: the columns on the selected path and the first further columns, in the schema's order. */
export function cardsOf(lines: ColumnLines, { path, opened, first, isShown }: Showing): Card[] {
  const cards = new Map<string, { card: Card; columns: Map<string, CardColumn> }>();
  for (const column of [...lines.columns, ...[...lines.sources.values()].flat()]) {
    const { id, dataset, field, fieldType: type, stale } = { fieldType: null, stale: false, ...column };
    const { card, columns } = cards.get(dataset) ?? {
      card: { ...nameOf(dataset), id: dataset, stale: false, columns: [], more: 0, hidden: [], filter: null },
      columns: new Map<string, CardColumn>(),
    };
    cards.set(dataset, { card: { ...card, stale: card.stale || stale }, columns });
    if (field !== null && !columns.has(id) && isShown(id, dataset)) columns.set(id, { id, field, type: type || null });
  }
  const places = new Map(lines.columns.map(({ id, schemaPlace }) => [id, schemaPlace ?? Infinity]));
  const rank = (id: string) => (first.has(id) ? 0 : (places.get(id) ?? Infinity));
  return [...cards.values()].map(({ card, columns }) => {
    const all = [...columns.values()].sort((a, b) => {
      const [place, other] = [rank(a.id), rank(b.id)];
      return place === other ? (a.field < b.field ? -1 : 1) : place - other;
    });
    const onPath = all.filter(({ id }) => path.has(id));
    const least = Math.max(COLUMNS_SHOWN, onPath.length);
    const filter = opened.get(card.id);
    const drawn = new Set([...onPath, ...all.filter(({ id }) => !path.has(id))].slice(0, least));
    const isDrawn = (column: CardColumn) =>
      filter === undefined ? drawn.has(column) : column.field.toLowerCase().includes(filter.toLowerCase());
    const hidden = all.filter((column) => !isDrawn(column)).map(({ id }) => id);
    return {
      ...{ ...card, columns: all.filter(isDrawn), more: hidden.length, hidden },
      filter: all.length > least ? (filter ?? "") : null,
    };
  });
}

/** The number of datasets with an indirect use of the column alone: a join, a filter, a group. */
export function indirectUses(lines: ColumnLines, id: string): number {
  const isOf = (sources: readonly Source[]) => sources.some((source) => source.id === id);
  const datasets = lines.columns.filter((column) => isOf(lines.own.get(column.id) ?? [])).map(({ dataset }) => dataset);
  return new Set([
    ...datasets,
    ...[...lines.dependencies].filter(([, sources]) => isOf(sources)).map(([dataset]) => dataset),
  ]).size;
}

/** Arrows between datasets, each once. */
export function cardArrows(arrows: readonly ColumnArrow[], datasetOf: (id: string) => string): Arrow[] {
  const byKey = new Map<string, Arrow>();
  for (const { from, to } of arrows) {
    const arrow = { from: datasetOf(from), to: datasetOf(to) };
    if (arrow.from !== arrow.to) byKey.set(`${arrow.from}→${arrow.to}`, arrow);
  }
  return [...byKey.values()];
}

/** The lines on a directed path through the focus, a column or all of a dataset's, on the given sides. */
export function restrict(
  arrows: readonly ColumnArrow[],
  dataset: string,
  column: string,
  dir: "up" | "down" | "both",
): ColumnArrow[] {
  const { up, down } = sides(arrows);
  const prefix = `datasetField:${dataset.slice("dataset:".length)}:`;
  const starts = column ? [column] : [...new Set([...up.keys(), ...down.keys()])].filter((id) => id.startsWith(prefix));
  const all = (next: ReadonlyMap<string, readonly string[]>) =>
    new Set(starts.flatMap((start) => [...reach(next, start).keys()]));
  const above = dir === "down" ? new Set<string>() : all(up),
    below = dir === "up" ? new Set<string>() : all(down);
  return arrows.filter(({ from, to }) => (above.has(from) && above.has(to)) || (below.has(from) && below.has(to)));
}

export type IndirectSource = ReturnType<typeof indirectSources>[number];

const ROLES: Readonly<Record<string, string>> = { GROUP_BY: "group", INDIRECT: "indirect" };

/** Name the use of a column after the subtype of its transformation. */
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
