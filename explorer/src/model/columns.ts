/** Columns and their sources. */

import { type Arrow, reach } from "./graph";

export interface Step {
  direct: boolean;
  kind: string;
  description: string | null;
  masked: boolean;
}

export interface Source {
  /** The column's id, or the dataset's where no column of it was reported. */
  id: string;
  dataset: string;
  namespace: string;
  datasetName: string;
  field: string | null;
  steps: readonly Step[];
}

export interface Column {
  id: string;
  dataset: string;
  namespace: string;
  datasetName: string;
  field: string;
  type: string | null;
  stale: boolean;
  known: boolean;
  reportedBy: readonly { run: string; job: string | null; version: string | null; declared: boolean }[];
}

export interface ColumnLines {
  columns: readonly Column[];
  sources: ReadonlyMap<string, readonly Source[]>;
  /** A column's indirect sources: a join, a filter. */
  own: ReadonlyMap<string, readonly Source[]>;
  /** The indirect sources of all columns of a dataset. */
  dependencies: ReadonlyMap<string, readonly Source[]>;
  truncated: boolean;
}

export interface ColumnArrow extends Arrow {
  steps: readonly Step[];
  direct: boolean;
  masked: boolean;
}

export const COLUMNS_SHOWN = 12;

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

export interface Card {
  id: string;
  namespace: string;
  name: string;
  stale: boolean;
  columns: readonly { id: string; field: string; type: string | null }[];
  /** How many columns are behind the filter, and their ids. */
  more: number;
  hidden: readonly string[];
}

/** A card for each dataset: first the columns on the selected path, then the rest in reported order. */
export function cardsOf(
  lines: ColumnLines,
  path: ReadonlySet<string>,
  opened: ReadonlySet<string>,
  order: ReadonlyMap<string, number> = new Map(),
): Card[] {
  const cards = new Map<string, Card & { columns: { id: string; field: string; type: string | null }[] }>();
  const at = (column: {
    id: string;
    dataset: string;
    namespace: string;
    datasetName: string;
    field: string | null;
    type?: string | null;
    stale?: boolean;
  }) => {
    const card = cards.get(column.dataset) ?? {
      id: column.dataset,
      namespace: column.namespace,
      name: column.datasetName,
      stale: false,
      columns: [],
      more: 0,
      hidden: [],
    };
    cards.set(column.dataset, card);
    card.stale ||= column.stale ?? false;
    if (column.field !== null && !card.columns.some(({ id }) => id === column.id))
      card.columns.push({ id: column.id, field: column.field, type: column.type ?? null });
  };
  lines.columns.forEach(at);
  for (const sources of lines.sources.values()) sources.forEach(at);
  return [...cards.values()].map((card) => {
    const rank = (id: string) => (path.has(id) ? -1 : (order.get(id) ?? 1e6));
    const all = [...card.columns].sort((a, b) => rank(a.id) - rank(b.id) || (a.field < b.field ? -1 : 1));
    const least = Math.max(COLUMNS_SHOWN, all.filter(({ id }) => path.has(id)).length);
    const columns = opened.has(card.id) ? all : all.slice(0, least);
    const hidden = all.slice(columns.length).map(({ id }) => id);
    return { ...card, columns, more: hidden.length, hidden };
  });
}

/** The whole path of a column, up and down. */
export function columnPath(arrows: readonly Arrow[], id: string): Set<string> {
  const up = new Map<string, string[]>(),
    down = new Map<string, string[]>();
  for (const { from, to } of arrows) {
    up.set(to, [...(up.get(to) ?? []), from]);
    down.set(from, [...(down.get(from) ?? []), to]);
  }
  return new Set([...reach(up, id).keys(), ...reach(down, id).keys()]);
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
  const up = new Map<string, string[]>(),
    down = new Map<string, string[]>();
  for (const { from, to } of arrows) {
    up.set(to, [...(up.get(to) ?? []), from]);
    down.set(from, [...(down.get(from) ?? []), to]);
  }
  const prefix = `datasetField:${dataset.slice("dataset:".length)}:`;
  const starts = column ? [column] : [...new Set([...up.keys(), ...down.keys()])].filter((id) => id.startsWith(prefix));
  const all = (next: ReadonlyMap<string, readonly string[]>) =>
    new Set(starts.flatMap((start) => [...reach(next, start).keys()]));
  const above = dir === "down" ? new Set<string>() : all(up),
    below = dir === "up" ? new Set<string>() : all(down);
  return arrows.filter(({ from, to }) => (above.has(from) && above.has(to)) || (below.has(from) && below.has(to)));
}
