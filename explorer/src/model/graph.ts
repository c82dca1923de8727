/** The graph of jobs and datasets, and the part on a map: all nodes on a directed path through the focus. */

import type { components } from "../api/schema";
import { cutsOf } from "../url/ids";
import { DEPTH_MAX, type Direction, type Side } from "../url/state";
import { count } from "./format";
import { groupBy } from "./group-by";

export type State = "NEW" | "RUNNING" | "COMPLETED" | "FAILED" | "ABORTED";

type Text = string | null;

/** The facts of an item of which nothing is known but its id. */
const UNKNOWN = {
  /** False where the reader may know its id and type alone. */
  known: false,
  state: null as State | null,
  runId: null as Text,
  startedAt: null as Text,
  endedAt: null as Text,
  /** The duration of the last run: of the attempt with the final state. */
  durationMs: null as number | null,
  /** When it was first heard of; null where a lineage was fetched in short. */
  createdAt: null as Text,
  /** When it last ran, or of a dataset the last event: perhaps a read. */
  touchedAt: null as Text,
  /** When a dataset was written, if its writers' last runs completed. */
  writtenAt: null as Text,
  /** True of a job whose last run could not report all of its lineage. */
  incomplete: false,
  /** Inputs of which the job's last run read an older part. */
  otherParts: [] as readonly string[],
  stale: false,
  temporary: false,
  fieldCount: 0,
  /** Empty where a lineage was fetched in short. */
  fields: [] as readonly { name: string; type: Text; description: Text }[],
  description: null as Text,
  owners: [] as readonly string[],
  tags: [] as readonly string[],
  /** Tests by their last outcome; null where none was reported. `warned` failed with the severity `warn`. */
  tests: null as components["schemas"]["TestCounts"] | null,
  /** The job that starts this job, such as a DAG. */
  parent: null as Text,
  /** Of the DAG in focus: its tasks by state, their tasks included. */
  tasks: undefined as Readonly<Record<string, number>> | undefined,
};

export type Item = typeof UNKNOWN & { id: string; kind: "dataset" | "job"; namespace: string; name: string };

export function blankItem(id: string, kind: "dataset" | "job"): Item {
  const { namespace, name } = cutsOf(id)[0] ?? { namespace: "", name: id };
  return { id, kind, namespace, name, ...UNKNOWN };
}

/** How many neighbours a node has on each side; `exact` is false where they were counted in an index. */
export type Degree = components["schemas"]["More"];

export interface Lineage {
  items: ReadonlyMap<string, Item>;
  up: ReadonlyMap<string, readonly string[]>;
  down: ReadonlyMap<string, readonly string[]>;
  /** Neighbours of each node: in the lineage, and left out of a folded response. */
  degrees: ReadonlyMap<string, Degree>;
  /** Keys of the arrows between a job and a job it waits for, without data (`arrowKey`). */
  controls: ReadonlySet<string>;
  truncated: boolean;
}

export interface Arrow {
  from: string;
  to: string;
  /** True of an arrow of `jobDependencies`. */
  isControl?: boolean;
}

export const arrowKey = ({ from, to }: Arrow) => `${from}→${to}`;

export const FOLD_ABOVE = 8;
export const FOLD_SHOWS = 5;
/** The most neighbours on a side in a response, and in a fold's drawing. */
export const DRAWN_MAX = 100;

/** Make a lineage of items and arrows, and of the neighbours left out. Arrows without both ends are dropped. */
export function toLineage(
  items: readonly Item[],
  arrows: readonly Arrow[],
  truncated = false,
  more: ReadonlyMap<string, Degree> = new Map(),
): Lineage {
  const byId = new Map(items.map((item) => [item.id, item]));
  const { up, down } = sides(arrows.filter(({ from, to }) => byId.has(from) && byId.has(to) && from !== to));
  const controls = new Set(arrows.filter(({ isControl }) => isControl).map(arrowKey));
  // An arrow of data replaces an arrow of waiting.
  for (const arrow of arrows) if (!arrow.isControl) controls.delete(arrowKey(arrow));
  const degrees = new Map(
    items.map(({ id }) => {
      const { up: above, down: below, exact } = more.get(id) ?? { up: 0, down: 0, exact: true };
      return [id, { up: (up.get(id)?.length ?? 0) + above, down: (down.get(id)?.length ?? 0) + below, exact }];
    }),
  );
  return { items: byId, up, down, degrees, controls, truncated };
}

/** Return the neighbours of each node on both sides, each once, by id. */
export function sides(arrows: readonly Arrow[]): Record<Side, Map<string, string[]>> {
  const neighbours = (end: "from" | "to", other: "from" | "to") =>
    new Map(
      [...groupBy(arrows, (arrow) => arrow[end])].map(([id, all]) => [
        id,
        [...new Set(all.map((arrow) => arrow[other]))].sort(),
      ]),
    );
  return { up: neighbours("to", "from"), down: neighbours("from", "to") };
}

/** Join lineages of a moment: for an item of several, the first lineage counts. */
export function mergeLineages(lineages: readonly Lineage[]): Lineage {
  const [first, ...others] = lineages;
  if (first && !others.length) return first;
  const items = new Map<string, Item>(),
    degrees = new Map<string, Degree>();
  for (const lineage of lineages) {
    for (const [id, item] of lineage.items) if (!items.get(id)?.known) items.set(id, item);
    for (const [id, degree] of lineage.degrees) degrees.set(id, atLeast(degrees.get(id), degree));
  }
  const merged = toLineage(
    [...items.values()],
    lineages.flatMap(arrowsOf),
    lineages.some(({ truncated }) => truncated),
  );
  return {
    ...merged,
    degrees: new Map([...merged.degrees].map(([id, within]) => [id, atLeast(degrees.get(id), within)])),
  };
}

const atLeast = (counted: Degree | undefined, { up, down, exact }: Degree): Degree => ({
  up: Math.max(counted?.up ?? 0, up),
  down: Math.max(counted?.down ?? 0, down),
  exact: exact && counted?.exact !== false,
});

export function arrowsOf(lineage: Lineage): Arrow[] {
  return [...lineage.down].flatMap(([from, tos]) =>
    tos.map((to) => (lineage.controls.has(arrowKey({ from, to })) ? { from, to, isControl: true } : { from, to })),
  );
}

/** Remove temporary datasets: their readers follow on their writers. The datasets of `keep` stay. */
export function withoutTemporary(lineage: Lineage, keep: string): { lineage: Lineage; left: number } {
  const gone = new Set(
    [...lineage.items.values()].filter((item) => item.temporary && item.id !== keep).map((item) => item.id),
  );
  if (gone.size === 0) return { lineage, left: 0 };
  const arrows = arrowsOf(lineage).filter(({ from, to }) => !gone.has(from) && !gone.has(to));
  for (const id of gone) {
    for (const from of lineage.up.get(id) ?? []) for (const to of lineage.down.get(id) ?? []) arrows.push({ from, to });
  }
  const kept = [...lineage.items.values()].filter((item) => !gone.has(item.id));
  return { lineage: toLineage(kept, arrows, lineage.truncated, hidden(lineage)), left: gone.size };
}

/** The neighbours left out of a lineage, by node. */
function hidden(lineage: Lineage): Map<string, Degree> {
  const left = (id: string, side: Side, all: number) => all - (lineage[side].get(id)?.length ?? 0);
  return new Map(
    [...lineage.degrees].map(([id, { up, down, exact }]) => [
      id,
      { up: left(id, "up", up), down: left(id, "down", down), exact },
    ]),
  );
}

export interface Fold {
  id: string;
  of: string;
  side: Side;
  count: number;
  exact: boolean;
  /** Of tasks: their number and state. */
  words?: string;
}

export interface Shown {
  /** Hops from the focus, negative upstream. */
  hops: ReadonlyMap<string, number>;
  arrows: readonly Arrow[];
  folds: readonly Fold[];
  /** How many neighbours of a node are not shown, on each side. */
  more: ReadonlyMap<string, Record<Side, number>>;
}

export interface Showing {
  dir: Direction;
  depth: number;
  open: readonly string[];
  pick: readonly string[];
  all: readonly string[];
  /** Nodes outside of every fold, such as the nodes of a comparison. */
  unfolded?: ReadonlyMap<string, unknown> | undefined;
  /** Nodes to draw in place of `depth`, with their hops from the focus. */
  way?: ReadonlyMap<string, number> | undefined;
}

/** The part of a lineage to draw: `depth` datasets to each side of the focus, and the opened sides. */
export function show(lineage: Lineage, focus: string, showing: Showing): Shown {
  const { way, dir, depth, open } = showing;
  const hops = new Map<string, number>(way ?? (lineage.items.has(focus) ? [[focus, 0]] : []));
  const folds = new Map<string, Fold>();
  const spread = (start: string, side: Side, steps: number) => {
    let level = lineage.items.has(start) ? [start] : [];
    const walked = new Set(level);
    for (let step = 0; step < steps && level.length; step++) {
      const next = new Set<string>();
      for (const id of level) {
        const hop = (hops.get(id) ?? 0) + (side === "up" ? -1 : 1);
        for (const neighbour of choose(lineage, showing, folds, hops, id, side)) {
          if (!hops.has(neighbour)) hops.set(neighbour, hop);
          if (!walked.has(neighbour)) next.add(neighbour);
        }
      }
      for (const id of next) walked.add(id);
      level = [...next].sort();
    }
  };
  const sides: readonly Side[] = dir === "both" ? ["up", "down"] : [dir];
  for (const side of way ? [] : sides) spread(focus, side, 2 * depth);
  const tasks = way || dir === "up" ? [] : foldTasks(lineage, focus, folds);
  for (const { to } of tasks) if (!hops.has(to)) hops.set(to, 1);
  for (let opened = -1; opened !== hops.size; ) {
    opened = hops.size;
    for (const [side, id] of open.map(parseMark))
      if (hops.has(id)) spread(id, side, lineage.items.get(id)?.kind === "dataset" ? 2 : 1);
  }
  const arrows = [...tasks, ...arrowsOf(lineage).filter(({ from, to }) => hops.has(from) && hops.has(to))];
  return { hops, arrows, folds: [...folds.values()], more: countHidden(lineage, hops, folds) };
}

/** Return an arrow from a DAG to each loaded task that failed, was aborted or runs; fold the rest by state. */
function foldTasks({ items }: Lineage, dag: string, folds: Map<string, Fold>): Arrow[] {
  const { tasks, name } = items.get(dag) ?? {};
  if (!tasks) return [];
  const jobs = [...items.values()].filter(({ kind, id }) => kind === "job" && id !== dag);
  const names = new Set([name]);
  for (let size = 0; size !== names.size; ) {
    size = names.size;
    for (const { parent, name } of jobs) if (parent && names.has(parent)) names.add(name);
  }
  const drawn = jobs.filter(({ parent, state }) => parent && names.has(parent) && rankOf(state) < rankOf(null));
  for (const [state, all] of Object.entries(tasks).sort(([a], [b]) => rankOf(a) - rankOf(b))) {
    const left = all - drawn.filter((task) => task.state === state).length;
    const words = `${count(left)} ${left < all ? "more " : ""}${state.toLowerCase()}`;
    if (left > 0) folds.set(state, { id: `tasks:${state}`, of: dag, side: "down", count: left, exact: true, words });
  }
  return drawn.map(({ id }) => ({ from: dag, to: id, isControl: true }));
}

/** The neighbours of a node to draw: all of a few; of many, the latest to run and the picked nodes. */
function choose(
  lineage: Lineage,
  showing: Showing,
  folds: Map<string, Fold>,
  hops: ReadonlyMap<string, number>,
  id: string,
  side: Side,
): readonly string[] {
  const neighbours = lineage[side].get(id) ?? [];
  const { [side]: all, exact } = degreeOf(lineage, id);
  if (all <= FOLD_ABOVE) return neighbours;
  const mark = `${side}:${id}`;
  const ranked = rank(lineage, neighbours);
  const picked = new Set(ranked.slice(0, showing.all.includes(mark) ? DRAWN_MAX : FOLD_SHOWS));
  for (const node of ranked)
    if (showing.pick.includes(node) || hops.has(node) || (showing.unfolded?.has(node) && picked.size < DRAWN_MAX))
      picked.add(node);
  const count = all - picked.size;
  if (count) folds.set(mark, { id: `fold:${mark}`, of: id, side, count, exact });
  else folds.delete(mark);
  return [...picked];
}

export const degreeOf = (lineage: Lineage, id: string): Degree =>
  lineage.degrees.get(id) ?? { up: 0, down: 0, exact: true };

/** Latest runs first; jobs without a run last, by id. */
export function rank(lineage: Lineage, ids: readonly string[]): string[] {
  const touched = (id: string) => lineage.items.get(id)?.touchedAt ?? "";
  return [...ids].sort((a, b) => (touched(a) === touched(b) ? (a < b ? -1 : 1) : touched(a) < touched(b) ? 1 : -1));
}

function countHidden(
  lineage: Lineage,
  hops: ReadonlyMap<string, number>,
  folds: ReadonlyMap<string, Fold>,
): Map<string, Record<Side, number>> {
  const count = (id: string, side: Side) =>
    folds.has(`${side}:${id}`)
      ? 0
      : degreeOf(lineage, id)[side] - (lineage[side].get(id) ?? []).filter((neighbour) => hops.has(neighbour)).length;
  return new Map([...hops.keys()].map((id) => [id, { up: count(id, "up"), down: count(id, "down") }]));
}

/** True if a node has too many neighbours for a history of the graph. */
export const isWide = (lineage: Lineage) =>
  [...lineage.degrees.values()].some(({ up, down, exact }) => !exact || Math.max(up, down) > DRAWN_MAX);

/** Return the reachable nodes of a side with their hops, nearest first. */
export function reach(next: ReadonlyMap<string, readonly string[]>, start: string): Map<string, number> {
  const hops = new Map([[start, 0]]);
  for (let level = [start]; level.length; ) {
    const reached: string[] = [];
    for (const id of level) {
      for (const neighbour of next.get(id) ?? []) {
        if (hops.has(neighbour)) continue;
        hops.set(neighbour, (hops.get(id) ?? 0) + 1);
        reached.push(neighbour);
      }
    }
    level = reached.sort();
  }
  return hops;
}

/** Return a map's state with the way between two nodes. The first or second node is upstream. */
export function showPaths(lineage: Lineage, above: string, below: string) {
  const fromAbove = reach(lineage.down, above),
    toBelow = reach(lineage.up, below);
  const hops = toBelow.get(above) ?? 0;
  // Of several ways the shortest.
  const way = [...toBelow].filter(([id, hop]) => (fromAbove.get(id) ?? Infinity) + hop === hops).map(([id]) => id);
  const shown = { dir: "up" as const, depth: Math.min(Math.ceil(hops / 2), DEPTH_MAX) };
  const drawn = show(lineage, below, { ...shown, open: [], pick: [], all: [] }).hops;
  return { node: below, ...shown, pick: way.filter((id) => !drawn.has(id)), sel: above, from: above, to: below };
}

/** Return the depth to request: the API counts jobs, a map counts datasets to each side, or jobs from a job. */
export function depthToRequest(kind: "dataset" | "job", depth: number): number {
  return kind === "dataset" ? Math.max(depth - 1, 0) : depth;
}

export function parseMark(mark: string): [Side, string] {
  return mark.startsWith("up:") ? ["up", mark.slice(3)] : ["down", mark.slice(mark.indexOf(":") + 1)];
}

const FIRST: readonly string[] = ["FAILED", "ABORTED", "RUNNING"];

export function rankOf(state: string | null | undefined): number {
  const place = FIRST.indexOf(state ?? "");
  return place < 0 ? FIRST.length : place;
}
