/** Open columns: their lines, cards and paths, what a reader does with them, their keys and changes. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { useLocation } from "wouter";
import { columnsQuery, foldedLineage } from "../../api/queries";
import type { DrawnArrow } from "../../draw/elements";
import { areChangesOpen, type OpenPicture, useHandles, useMoves } from "../../draw/picture-view";
import { findBeside, type Placed } from "../../layout/boxes";
import { columnChangeRows } from "../../model/changes";
import {
  type Card,
  type ColumnArrow,
  type ColumnLines,
  cardArrows,
  cardsOf,
  columnArrows,
  formulasOf,
  type IndirectSource,
  indirectSources,
  NO_LINES,
  operationOf,
  restrict,
} from "../../model/columns";
import { type ColumnComparison, compareColumns } from "../../model/compare-columns";
import { isWide } from "../../model/graph";
import { pathThrough } from "../../model/paths";
import { titlesOf } from "../../model/titles";
import { type Steps, useCauses } from "../../parts/changes";
import { useOldData } from "../../parts/facts";
import { useNarrow } from "../../parts/tools";
import { datasetOf, kindOf, nameOf } from "../../url/ids";
import { type ColumnsState, columnsLink, mapLink, type Panel } from "../../url/state";
import { boxOf, changeOf, INDIRECT, rowY } from "./card";

export interface OpenColumns extends OpenPicture {
  state: ColumnsState;
  data: ColumnsData;
  picture: ColumnsPicture;
  actions: Actions;
}

export function useOpenColumns(state: ColumnsState, data: ColumnsData, now: ColumnLines): OpenColumns {
  const actions = useActions(state, useNarrow());
  const picture = usePicture(now, data.before, state, actions.opened);
  const handles = useHandles(state, (list) => actions.to({ list }));
  const changes = useChanges({ state, picture, actions, ...handles });
  return { state, data, picture, actions, ...handles, changes };
}

export type ColumnsData = ReturnType<typeof useColumnsData>;

/** Return the lines now, and those to compare with: null without such a time, and while they load. */
export function useColumnsData(state: ColumnsState) {
  const { node, vs } = state;
  const now = useQuery({ ...columnsQuery(state), enabled: node !== "", placeholderData: keepPreviousData });
  const other = useQuery({
    ...columnsQuery({ ...state, at: vs }, NO_LINES),
    enabled: node !== "" && vs !== "",
    placeholderData: keepPreviousData,
  });
  return {
    now,
    isLate: now.isPlaceholderData,
    before: vs ? (other.data ?? null) : null,
    failure: vs ? other.error : null,
    retry: () => void other.refetch(),
  };
}

type Actions = ReturnType<typeof useActions>;

/** What a reader does; `opened` are the cards that show all their columns, each with its filter. */
function useActions(state: ColumnsState, isNarrow: boolean) {
  const { anchor, setAnchor, to } = useMoves(state, columnsLink);
  const [opened, setOpened] = useState<ReadonlyMap<string, string>>(new Map());
  // The panel may be hidden though a column is selected, as on a phone.
  const [isPanelClosed, closePanel] = useState(isNarrow);
  const select = useCallback(
    (id: string, sel: string, panel: Panel = state.panel === "none" ? "none" : "") => {
      closePanel(false);
      to({ sel, panel }, datasetOf(id));
    },
    [to, state.panel],
  );
  const choose = useCallback((id: string, panel?: Panel) => select(id, id, panel), [select]);
  // Select a column, or clear the selection if it is of the column.
  const toggle = useCallback(
    (id: string, sel: string) => select(id, id === sel && id !== state.node ? "" : id),
    [select, state.node],
  );
  const open = useCallback(
    (dataset: string, filter: string) => {
      setAnchor(dataset);
      setOpened((now) => new Map([...now, [dataset, filter]]));
    },
    [setAnchor],
  );
  return { anchor, to, choose, toggle, opened, open, isPanelClosed, closePanel };
}

type Compared = Pick<OpenColumns, "state" | "picture" | "actions" | "list" | "handled">;

function useChanges({ state, picture, actions, list, handled }: Compared): Steps {
  const { comparison, cards, titles } = picture;
  const isOpen = comparison !== null && comparison.changes.size > 0 && areChangesOpen(state, list);
  const { depth, at, vs } = state,
    node = datasetOf(state.node);
  const graph = useQuery({ ...foldedLineage(node, depth), enabled: isOpen });
  const isTooWide = graph.data !== undefined && isWide(graph.data);
  const { causes, note } = useCauses({ node, depth, at, vs }, isOpen && graph.isFetched, isTooWide);
  const rows = useMemo(() => {
    const drawn = new Set(cards.flatMap((card) => [...card.columns.map(({ id }) => id), ...card.hidden]));
    return comparison ? columnChangeRows(comparison, drawn, causes) : [];
  }, [comparison, cards, causes]);
  return {
    rows,
    isOpen,
    note,
    sel: state.sel,
    titleOf: ({ id, name }) => {
      const title = titles.get(datasetOf(id))?.title;
      return title ? `${title}.${nameOf(id).field}` : name;
    },
    goTo: (id) => {
      if (cards.some(({ hidden }) => hidden.includes(id))) actions.open(datasetOf(id), "");
      actions.choose(id, "changes");
      handled.current?.center(datasetOf(id));
    },
    close: () => actions.to({ panel: "none" }),
  };
}

// -- the keys

export function useColumnsKeys({ state, picture, actions, layout }: OpenColumns) {
  const [, navigate] = useLocation();
  const { sel } = picture;
  const { node, at, vs } = state;
  const arrow = (event: KeyboardEvent) => {
    event.preventDefault();
    const next = walk(picture, layout.current, sel || node, event.key);
    if (!next) return;
    actions.choose(next);
    requestAnimationFrame(() =>
      document.querySelector<HTMLElement>(".row.is-selected")?.focus({ preventScroll: true }),
    );
  };
  return {
    ...{ ArrowLeft: arrow, ArrowRight: arrow, ArrowUp: arrow, ArrowDown: arrow },
    i: () => actions.to({ indirect: !state.indirect }),
    c: () => navigate(mapLink({ node: datasetOf(node), at, vs, sel: sel ? datasetOf(sel) : "" })),
  };
}

type Walked = Pick<ColumnsPicture, "cards" | "kept">;

/** The column that an arrow key leads to: along a line, or the next of its card, or of the card above or below. */
export function walk({ cards, kept }: Walked, placed: Placed | null, from: string, key: string): string | null {
  const card = cards.find(({ id }) => id === datasetOf(from));
  if (!placed || !card) return null;
  const index = card.columns.findIndex(({ id }) => id === from);
  if (index < 0) return card.columns[0]?.id ?? null;
  const isUp = key === "ArrowUp";
  if (isUp || key === "ArrowDown") {
    const beside = findBeside(placed, card.id, isUp);
    const others = cards.find(({ id }) => id === beside)?.columns;
    return (card.columns[index + (isUp ? -1 : 1)] ?? others?.at(isUp ? -1 : 0))?.id ?? null;
  }
  const [here, there] = key === "ArrowLeft" ? (["to", "from"] as const) : (["from", "to"] as const);
  const ends = kept.filter((line) => line[here] === from).map((line) => line[there]);
  const heights = new Map(
    cards.flatMap((other) =>
      other.columns.map(({ id }, row) => [id, placed.at[other.id]!.y + rowY(other, row)] as const),
    ),
  );
  const far = (id: string) => Math.abs(heights.get(id)! - heights.get(from)!);
  return ends.filter((id) => heights.has(id)).sort((a, b) => far(a) - far(b))[0] ?? null;
}

// -- the picture

const INDIRECT_MAX = 30;
const NO_CHANGES = new Set<string>();

export type ColumnsPicture = ReturnType<typeof usePicture>;

/** Make the picture; `opened` are the cards with all their columns. */
function usePicture(
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
