/** The picture of a map: its nodes, folds and hubs, their names and boxes, and the lit path. */

import { useMemo } from "react";
import { CARD, cardFor } from "../../draw/card";
import type { DrawnArrow } from "../../draw/elements";
import { FOLD, ROUND, STUB } from "../../draw/fold-box";
import { GROUP } from "../../draw/group-box";
import type { Box } from "../../layout/boxes";
import type { Comparison } from "../../model/compare";
import { count, plural } from "../../model/format";
import { type Freshness, lateOf } from "../../model/freshness";
import { type Arrow, arrowKey, type Lineage, type Shown, show, withoutTemporary } from "../../model/graph";
import { type Grouped, groupsOf } from "../../model/groups";
import {
  drawnArrows,
  foldHubs,
  jobsOnLines,
  type Path,
  type Picture,
  between as pathBetween,
  pathThrough,
} from "../../model/paths";
import { type Title, titlesOf } from "../../model/titles";
import { useOldData } from "../../parts/facts";
import type { MapState } from "../../url/state";

export type MapPicture = ReturnType<typeof usePicture>;

/** Make the picture of all loaded nodes; `temporary` counts hidden datasets; no dataset is fresh unless `isMarked`. */
export function usePicture(whole: Lineage, state: MapState, comparison: Comparison | null) {
  const { lineage, left: temporary } = useMemo(
    () => (state.temporary ? { lineage: whole, left: 0 } : withoutTemporary(whole, state.node)),
    [whole, state.temporary, state.node],
  );
  // Where only a version of the focus is there, the version.
  const focus = lineage.items.has(state.node)
    ? state.node
    : ([...lineage.items.keys()].find((id) => id.startsWith(`${state.node}#`)) ?? state.node);
  const { all, shown: single, isWay } = useShown(lineage, focus, state, comparison);
  const { by } = state;
  const into = state.into.join(SEPARATOR);
  const grouped = useMemo(
    () => (by ? groupsOf(lineage, all.hops.keys(), by, into.split(SEPARATOR).filter(Boolean)) : null),
    [lineage, all, by, into],
  );
  const shown = useMemo(() => (grouped ? pictureOf(grouped, all) : single), [grouped, all, single]);
  // The jobs on the lines before their tables.
  const onLines = useMemo(() => {
    const boxes = [focus, ...(comparison?.changes.keys() ?? [])];
    return isWay || state.boxes ? new Set<string>() : jobsOnLines(lineage, shown, new Set(boxes));
  }, [lineage, shown, focus, comparison, isWay, state.boxes]);
  const titles = useMemo(
    () => titlesOf([...shown.hops.keys(), ...shown.hubs.keys()].flatMap((id) => lineage.items.get(id) ?? [])),
    [lineage, shown],
  );
  const marks = useOldData(!state.at);
  const freshness: ReadonlyMap<string, Freshness> = useMemo(() => marks ?? lateOf(lineage), [marks, lineage]);
  const boxes = useMemo(
    () => [
      ...boxesOf(shown, isWay ? titles : null, onLines),
      ...[...(grouped?.groups.keys() ?? [])].map((id) => ({ id, ...GROUP })),
    ],
    [shown, isWay, titles, grouped, onLines],
  );
  const arrows = useMemo(() => drawnArrows(shown).map((arrow) => compared(arrow, comparison)), [shown, comparison]);
  const { sel, from, to } = state;
  // Of the paths between two alone, none is lit.
  const path = useMemo(
    () => (isWay ? null : pathOf(shown, arrows, (to && from) || sel, to)),
    [isWay, shown, arrows, from, sel, to],
  );
  const graph = { lineage, temporary, focus, shown, all, isWay, onLines, grouped, titles, freshness };
  return { ...graph, isMarked: marks !== undefined, boxes, arrows, path };
}

/** The nodes to show, with hubs as nodes (`all`) and as stubs (`shown`); `isWay` of the paths between two alone. */
function useShown(lineage: Lineage, focus: string, state: MapState, comparison: Comparison | null) {
  const { sel, to } = state;
  const from = state.from || sel;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the lists of the state are new at each render
  const whole = useMemo(
    () =>
      show(lineage, focus, { ...state, unfolded: comparison?.changes, way: state.node ? undefined : allOf(lineage) }),
    [lineage, focus, comparison, state.dir, state.depth, state.open.join(), state.pick.join(), state.all.join()],
  );
  const way = useMemo(() => (to && !state.whole ? wayOf(whole, from, to) : null), [whole, from, to, state.whole]);
  const beside = state.beside.join("\n");
  const all = useMemo(() => {
    const open = beside.split("\n").filter(Boolean);
    return way ? show(lineage, focus, { dir: "both", depth: 0, open, pick: [], all: open, way }) : whole;
  }, [lineage, focus, whole, way, beside]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the lists of the state are new at each render
  const shown = useMemo(
    () => foldHubs(lineage, all, focus, state.vs ? [...all.hops.keys()] : [...state.hub, sel, to]),
    [lineage, all, focus, state.vs, state.hub.join(), sel, to],
  );
  return { all, shown, isWay: way !== null };
}

/** Return the nodes on the paths between two, with their hops; null without a path. */
function wayOf({ hops, arrows }: Shown, sel: string, to: string): Map<string, number> | null {
  const { nodes, arrows: between } = pathBetween(arrows, sel, to);
  return between.size ? new Map([...hops].filter(([id]) => nodes.has(id))) : null;
}

/** The boxes; with `titles`, each is high enough for its whole title. */
const boxesOf = (
  { hops, folds, stubs }: Picture,
  titles: ReadonlyMap<string, Title> | null,
  onLines: ReadonlySet<string>,
): Box[] => [
  ...[...hops.keys()].map((id) => ({
    id,
    ...(onLines.has(id) ? ROUND : titles ? cardFor(titles.get(id)!.title) : CARD),
  })),
  ...folds.map(({ id }) => ({ id, ...FOLD, isLast: true })),
  ...stubs.map(({ id }) => ({ id, ...STUB })),
];

const SEPARATOR = "\u0000";

const allOf = ({ items }: Lineage) => new Map([...items.keys()].map((id) => [id, 0]));

/** The members of open groups as a picture; lines are between groups, too. */
const pictureOf = ({ members, arrows }: Grouped, { hops }: Shown): Picture => ({
  hops: new Map(members.map((id) => [id, hops.get(id) ?? 0])),
  arrows,
  folds: [],
  more: new Map(),
  stubs: [],
  hubs: new Map(),
});

const compared = (arrow: Arrow & { jobs?: number }, comparison: Comparison | null): DrawnArrow => ({
  ...arrow,
  mark: arrow.jobs ? { sign: count(arrow.jobs), formula: plural(arrow.jobs, "job"), isMiddle: true } : undefined,
  look: `${comparison?.arrows.get(arrowKey(arrow)) ?? ""} ${arrow.isControl ? "is-control" : ""}`.trim(),
});

/** The path through the selection, or between the two selected nodes. */
function pathOf({ hops, folds, stubs }: Picture, arrows: readonly Arrow[], sel: string, to: string): Path | null {
  if (!hops.has(sel) && ![...folds, ...stubs].some(({ id }) => id === sel)) return null;
  return hops.has(to) ? pathBetween(arrows, sel, to) : pathThrough(arrows, sel);
}
