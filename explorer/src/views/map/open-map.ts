/** An open map: its graphs, the acts of a reader, its keys and changes. */

import { keepPreviousData, type UseQueryResult, useQueries, useQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { useLocation } from "wouter";
import { type LineageQuery, lineageQuery } from "../../api/queries";
import { areChangesOpen, type OpenPicture, stepBack, useHandles, useMoves } from "../../draw/picture-view";
import { findBeside, type Placed } from "../../layout/boxes";
import { changeRows } from "../../model/changes";
import { compareLineages } from "../../model/compare";
import {
  DRAWN_MAX,
  depthToRequest,
  FOLD_ABOVE,
  isWide,
  type Lineage,
  mergeLineages,
  parseMark,
} from "../../model/graph";
import { drawnArrows, type Picture } from "../../model/paths";
import { titleOf } from "../../model/titles";
import { type Steps, useCauses } from "../../parts/changes";
import { kindOf } from "../../url/ids";
import { columnsLink, type MapState, mapLink, NO_PATHS, type Side } from "../../url/state";
import { type MapPicture, usePicture } from "./picture";

export interface OpenMap extends OpenPicture {
  state: MapState;
  data: MapData;
  picture: MapPicture;
  actions: Actions;
}

export function useOpenMap(state: MapState, data: MapData, whole: Lineage): OpenMap {
  const picture = usePicture(whole, state, data.comparison);
  const actions = useActions(state, picture);
  const handles = useHandles(state, (list) => actions.to({ list }));
  const changes = useChanges({ state, data, picture, actions, ...handles });
  return { state, data, picture, actions, ...handles, changes };
}

/** A link to the columns of the selected dataset; if none is selected, of `focus`. */
export const columnsOf = ({ sel, at, vs }: MapState, focus: string) =>
  columnsLink({ node: kindOf(sel) === "dataset" ? sel : focus, at, vs });

type Compared = Omit<OpenMap, "changes" | "layout">;

function useChanges({ state, data, picture, actions, list, handled }: Compared): Steps {
  const { comparison } = data;
  const { shown, titles } = picture;
  const isOpen = comparison !== null && comparison.changes.size > 0 && areChangesOpen(state, list);
  const { node, depth, at, vs } = state;
  const isTooWide = comparison !== null && isWide(comparison.lineage);
  const { causes, note } = useCauses({ node, depth: jobsDeep(node, depth), at, vs }, isOpen, isTooWide);
  const rows = useMemo(
    () => (comparison ? changeRows(comparison, shown.hops, causes) : []),
    [comparison, shown.hops, causes],
  );
  return {
    rows,
    isOpen,
    note,
    sel: state.sel,
    titleOf: (row) => titles.get(row.id)?.title ?? titleOf(row),
    goTo: (id) => {
      actions.to({ ...NO_PATHS, sel: id, panel: "changes" }, id);
      handled.current?.center(id);
    },
    close: () => actions.to({ panel: "none" }),
  };
}

export type MapData = ReturnType<typeof useMapData>;

/** The reach of a map from its focus in jobs, as the API counts. */
export const jobsDeep = (node: string, depth: number) =>
  depthToRequest(kindOf(node) === "job" ? "job" : "dataset", depth);

/** The queries of a map at a moment, first the focus's query. A comparison has all neighbours, with their columns. */
function queriesOf({ node, depth, open, beside, pick, all, vs, dependencies }: MapState, at: string): LineageQuery[] {
  const asked = {
    ...(dependencies ? { dependencies } : {}),
    ...(vs ? { at, full: true } : { at, fold: all.length ? DRAWN_MAX : FOLD_ABOVE }),
  };
  return [
    { node, depth: jobsDeep(node, depth), direction: "through", ...asked },
    ...[...open, ...beside]
      .map(parseMark)
      .map(([side, id]): LineageQuery => ({ node: id, depth: 0, direction: side, ...asked })),
    // A picked node needs the node with its fold.
    ...pick.map(
      (id): LineageQuery => ({
        node: id,
        depth: 0,
        direction: "through",
        ...asked,
        ...(vs ? {} : { fold: DRAWN_MAX }),
      }),
    ),
  ];
}

/** The loaded parts, and the first failure. */
const combine = (parts: UseQueryResult<Lineage>[]) => ({
  loaded: parts.flatMap(({ data }) => data ?? []),
  isPending: parts.some(({ isPending }) => isPending),
  failed: parts.find(({ error }) => error),
});

function useMoment(state: MapState, at: string, enabled: boolean) {
  const [first, ...others] = queriesOf(state, at);
  const focus = useQuery({ ...lineageQuery(first!), enabled, placeholderData: keepPreviousData });
  const { loaded, isPending, failed } = useQueries({ queries: enabled ? others.map(lineageQuery) : [], combine });
  const lineage = useMemo(() => (focus.data ? mergeLineages([focus.data, ...loaded]) : null), [focus.data, loaded]);
  return { focus, lineage, isLate: focus.isPlaceholderData || isPending, failed };
}

/** Return the loaded nodes, in a comparison of both moments; and why a part is missing, the focus's graph apart. */
export function useMapData(state: MapState) {
  const isCompared = state.vs !== "";
  const now = useMoment(state, state.at, state.node !== "");
  const then = useMoment(state, state.vs, state.node !== "" && isCompared);
  const comparison = useMemo(
    () => (isCompared && now.lineage && then.lineage ? compareLineages(then.lineage, now.lineage, state.vs) : null),
    [isCompared, now.lineage, then.lineage, state.vs],
  );
  const failed = now.failed ?? (isCompared ? (then.focus.error ? then.focus : then.failed) : undefined);
  return {
    focus: now.focus,
    comparison,
    lineage: comparison?.lineage ?? now.lineage,
    isLate: now.isLate || (isCompared && then.isLate),
    failure: failed?.error ?? null,
    retry: () => void failed?.refetch(),
  };
}

type Actions = ReturnType<typeof useActions>;

function useActions(state: MapState, { shown, isWay, grouped }: MapPicture) {
  const { anchor, to } = useMoves(state, mapLink);
  // Another selection leaves the paths between two as they are drawn, else it ends them.
  const ends = useMemo(() => (isWay ? { from: state.from || state.sel } : NO_PATHS), [isWay, state.from, state.sel]);
  // Open a side of a node beyond the depth, or close it.
  const open = useCallback(
    (id: string, side: Side) => {
      const mark = `${side}:${id}`;
      const name = isWay ? "beside" : "open";
      const others = state[name].filter((other) => other !== mark);
      to({ [name]: others.length < state[name].length ? others : [...state[name], mark] }, id);
    },
    [to, isWay, state],
  );
  // Select a node, with Shift the second end of a path; draw a hub, open a group.
  const choose = useCallback(
    (id: string, { shiftKey } = { shiftKey: false }) => {
      const stub = shown.stubs.find((other) => other.id === id);
      if (grouped?.groups.has(id)) to({ into: [...state.into.filter((other) => other !== id), id] }, id);
      else if (stub) to({ hub: [...state.hub, stub.hub] }, stub.of);
      else if (shiftKey && state.sel && state.sel !== id) to({ ...NO_PATHS, from: state.sel, to: id }, id);
      else to({ ...ends, sel: id, panel: state.panel === "none" ? "none" : "" }, id);
    },
    [to, ends, state.sel, state.hub, state.into, state.panel, shown, grouped],
  );
  return { anchor, to, choose, ends, clear: () => to({ ...ends, sel: "" }), open };
}

// -- the keys

export function useMapKeys(map: OpenMap) {
  const { state, picture, actions, handled, layout } = map;
  const [, navigate] = useLocation();
  const on = state.sel || picture.focus;
  const arrow = (event: KeyboardEvent) => {
    event.preventDefault();
    const next = walk(picture.shown, layout.current, on, event.key);
    if (!next) return;
    actions.to({ ...actions.ends, sel: next }, next);
    handled.current?.center(next);
    requestAnimationFrame(() => handled.current?.focusNode(next));
  };
  const closed = { open: [], pick: [], all: [], hub: [] };
  return {
    ...{ ArrowLeft: arrow, ArrowRight: arrow, ArrowUp: arrow, ArrowDown: arrow },
    e: () => actions.open(on, "down"),
    E: () => actions.open(on, "up"),
    c: () => navigate(columnsOf(state, state.node)),
    Enter: (event: KeyboardEvent) => enter(event, map),
    Escape: () => actions.to(state.to ? NO_PATHS : (stepBack(state) ?? closed)),
  };
}

/** Select the node with the keyboard's focus; if it is selected, go into its panel. */
function enter(event: KeyboardEvent, { state, picture, actions }: OpenMap): void {
  const node = (document.activeElement as HTMLElement | null)?.closest<HTMLElement>(".react-flow__node");
  const id = node?.dataset["id"];
  if (!id) return;
  if (id !== state.sel || picture.shown.stubs.some((stub) => stub.id === id)) {
    actions.choose(id);
    return;
  }
  event.preventDefault();
  document.querySelector<HTMLElement>(".side .actions a, .side .actions button")?.focus();
}

/** The node at the end of an arrow key: along an arrow, or the nearest above or below in the same rank. */
function walk(shown: Picture, placed: Placed | null, from: string, key: string): string | null {
  const here = placed?.at[from];
  if (!placed || !here) return null;
  const far = (id: string) => Math.abs((placed.at[id]?.y ?? 0) - here.y);
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const [end, other] = key === "ArrowLeft" ? (["to", "from"] as const) : (["from", "to"] as const);
    const next = drawnArrows(shown).flatMap((arrow) => (arrow[end] === from ? [arrow[other]] : []));
    return next.sort((a, b) => far(a) - far(b))[0] ?? null;
  }
  return findBeside(placed, from, key === "ArrowUp");
}
