/** The picture of columns: a card for each dataset, the lines between columns, and the selected path. */

import { useMemo } from "react";
import type { DrawnArrow } from "../../draw/elements";
import {
  type Card,
  type ColumnArrow,
  type ColumnLines,
  cardArrows,
  cardsOf,
  columnArrows,
  formulasOf,
  operationOf,
  restrict,
} from "../../model/columns";
import { type ColumnComparison, compareColumns } from "../../model/compare-columns";
import { type IndirectSource, indirectSources } from "../../model/indirect";
import { pathThrough } from "../../model/paths";
import { titlesOf } from "../../model/titles";
import { useOldData } from "../../parts/old-data";
import { datasetOf, kindOf } from "../../url/ids";
import type { ColumnsState } from "../../url/state";
import { boxOf, changeOf, INDIRECT, rowY } from "./card";

const INDIRECT_MAX = 30;
const NO_CHANGES = new Set<string>();

export type ColumnsPicture = ReturnType<typeof usePicture>;

/** Make the picture; `opened` are the cards with all their columns. */
export function usePicture(
  now: ColumnLines,
  before: ColumnLines | null,
  state: ColumnsState,
  opened: ReadonlyMap<string, string>,
) {
  const { node, dir } = state;
  const focused = kindOf(node) === "field" ? node : "";
  // Without a choice, the focus is selected if it is a column.
  const sel = state.sel || focused;
  const comparison = useMemo(() => (before ? compareColumns(before, now) : null), [before, now]);
  // In a comparison, the union of both moments.
  const lines = comparison?.lines ?? now;
  const kept = useMemo(() => restrict(columnArrows(lines), datasetOf(node), focused, dir), [lines, node, focused, dir]);
  const path = useMemo(() => (sel ? pathThrough(kept, sel).nodes : null), [kept, sel]);
  const cards = useMemo(
    () => drawnCards(lines, kept, path, opened, datasetOf(node), comparison),
    [lines, kept, path, opened, node, comparison],
  );
  // By column; "" of a copied value.
  const formulas = useMemo(() => formulasOf(kept), [kept]);
  const freshness = useOldData(!state.at);
  const indirect = useMemo(
    () => (state.indirect ? indirectSources(lines, sel || node) : []),
    [lines, state.indirect, sel, node],
  );
  const { boxes, titles } = useMemo(() => boxesOf(cards, indirect), [cards, indirect]);
  const tables = useMemo(() => cardArrows(kept, datasetOf), [kept]);
  const dashed = useMemo(() => indirectLines(indirect, datasetOf(sel || node)), [indirect, sel, node]);
  const arrows = useMemo(() => {
    // With no column chosen and nothing compared, a line for each pair of datasets says enough.
    const drawn = path || comparison ? drawnLines(kept, cards, path, comparison) : tables;
    return [...drawn, ...dashed];
  }, [kept, cards, path, tables, comparison, dashed]);
  const layoutArrows = useMemo(() => {
    const drawn = new Set(cards.map(({ id }) => id));
    return [...tables, ...dashed.filter(({ from }) => !drawn.has(from))];
  }, [cards, tables, dashed]);
  return {
    ...{ lines, comparison, sel, kept, path, cards, formulas, freshness },
    ...{ indirect, titles, boxes, layoutArrows, arrows },
  };
}

/** Return a box and a title for each card, and for the first indirect sources without a card. */
function boxesOf(cards: readonly Card[], indirect: readonly IndirectSource[]) {
  const drawn = new Set(cards.map(({ id }) => id));
  const others = indirect.filter(({ id }) => !drawn.has(id)).slice(0, INDIRECT_MAX);
  return {
    boxes: [...cards.map(boxOf), ...others.map(({ id }) => ({ id, ...INDIRECT }))],
    titles: titlesOf([...cards, ...others]),
  };
}

/** The cards with a line. A card shows columns with a line, changed columns first; the focus shows all its columns. */
function drawnCards(
  lines: ColumnLines,
  kept: readonly ColumnArrow[],
  path: ReadonlySet<string> | null,
  opened: ReadonlyMap<string, string>,
  focus: string,
  comparison: ColumnComparison | null,
): Card[] {
  const used = new Set(kept.flatMap(({ from, to }) => [from, to]));
  const isShown = (id: string, dataset: string) => used.has(id) || dataset === focus;
  return cardsOf(lines, { path: path ?? new Set(), opened, first: comparison?.changes ?? NO_CHANGES, isShown }).filter(
    (card) => card.columns.length + card.more > 0 || card.id === focus,
  );
}

/** Return a line for each of the arrows on the path, from row to row; without a path for each of all. */
function drawnLines(
  arrows: readonly ColumnArrow[],
  cards: readonly Card[],
  path: ReadonlySet<string> | null,
  comparison: ColumnComparison | null,
): DrawnArrow[] {
  const rows = new Map(
    cards.flatMap((card) =>
      card.columns.map(({ id }, index) => [id, { card: card.id, y: rowY(card, index) }] as const),
    ),
  );
  const marked = new Set<string>();
  return arrows.flatMap((arrow) => {
    const { from, to, direct, masked } = arrow;
    const source = rows.get(from),
      target = rows.get(to);
    if (!source || !target || source.card === target.card) return [];
    if (path && !(path.has(from) && path.has(to))) return [];
    const key = `${from}→${to}`;
    const look = `${direct ? "" : "is-indirect"} ${masked ? "is-masked" : ""} ${changeOf(comparison?.arrows.get(key))}`;
    return [
      { from: source.card, to: target.card, fromY: source.y, toY: target.y, key, look, ...markOf(arrow, marked) },
    ];
  });
}

/** Return the mark of a line; of lines to a column with the same mark, the first has it. */
function markOf(arrow: ColumnArrow, marked: Set<string>): Pick<DrawnArrow, "mark"> {
  const mark = operationOf(arrow);
  const key = `${arrow.to} ${mark?.sign}`;
  if (!mark || marked.has(key)) return {};
  marked.add(key);
  return { mark };
}

/** A dashed line from each indirect source to the dataset of the column. */
const indirectLines = (sources: readonly IndirectSource[], target: string): DrawnArrow[] =>
  sources.map(({ id }) => ({ from: id, to: target, key: `indirect ${id}→${target}`, look: "is-indirect" }));
