/** Paths in a drawn graph, and its hubs: an input with very many readers becomes a stub at each. */

import { type Arrow, arrowKey, degreeOf, type Item, type Lineage, reach, type Shown, sides } from "./graph";

export type PathNodes = ReadonlySet<string>;

/** The lit nodes of a path, and the keys of its arrows. */
export interface Path {
  nodes: PathNodes;
  arrows: ReadonlySet<string>;
}

/** A node with all its sources and outputs. An arrow around the node is not on its path. */
export function pathThrough(arrows: readonly Arrow[], id: string): Path {
  const { up, down } = sides(arrows);
  return pathOf(arrows, new Set(reach(up, id).keys()), new Set(reach(down, id).keys()));
}

/** The path of all arrows with both ends in the same part. */
function pathOf(arrows: readonly Arrow[], ...parts: readonly PathNodes[]): Path {
  const lit = arrows.filter(({ from, to }) => parts.some((part) => part.has(from) && part.has(to)));
  return { nodes: new Set(parts.flatMap((part) => [...part])), arrows: new Set(lit.map(arrowKey)) };
}

/** The nodes on a directed path between two nodes, in either direction; without a path, the two nodes. */
export function between(arrows: readonly Arrow[], start: string, end: string): Path {
  const { up, down } = sides(arrows);
  for (const [first, last] of [
    [start, end],
    [end, start],
  ] as const) {
    const ahead = reach(down, first),
      back = reach(up, last);
    if (ahead.has(last)) return pathOf(arrows, new Set([...ahead.keys()].filter((id) => back.has(id))));
  }
  return pathOf([], new Set([start, end]));
}

export function neighboursOf(arrows: readonly Arrow[], id: string): PathNodes {
  return new Set([
    id,
    ...arrows.filter(({ from, to }) => from === id || to === id).flatMap(({ from, to }) => [from, to]),
  ]);
}

export type Trouble = ReturnType<typeof nearestTroubles>[number];

/** True of a job with a failed last run, a stale dataset, and a node with a failing test. */
const isTroubled = (item: Item) =>
  item.state === "FAILED" || item.state === "ABORTED" || item.stale || (item.tests?.failed ?? 0) > 0;

/** Return the nearest troubles upstream of a node: no other trouble lies on the way. */
export function nearestTroubles(lineage: Lineage, id: string, most = 10) {
  const seen = new Set([id]);
  const troubles: { item: Item; hops: number }[] = [];
  let level = [id];
  for (let hops = 1; level.length && troubles.length < most; hops++) {
    const next: string[] = [];
    for (const above of level.flatMap((node) => lineage.up.get(node) ?? [])) {
      const item = lineage.items.get(above);
      if (!item || seen.has(above)) continue;
      seen.add(above);
      if (isTroubled(item)) troubles.push({ item, hops });
      else next.push(above);
    }
    level = next.sort();
  }
  return troubles.slice(0, most);
}

export const HUB_ABOVE = 50;

/** The end of an undrawn line: a hub's name beside its reader. */
interface Stub {
  id: string;
  hub: string;
  of: string;
}

export interface Picture extends Shown {
  stubs: readonly Stub[];
  /** The hubs drawn as stubs, each with its number of readers. */
  hubs: ReadonlyMap<string, number>;
}

/** Replace hubs by stubs, except for the focus, its outputs, and the nodes to keep. */
export function foldHubs(lineage: Lineage, shown: Shown, focus: string, keep: readonly string[]): Picture {
  const down = sides(shown.arrows).down;
  const follows = reach(down, focus);
  const hubs = new Map(
    [...shown.hops.keys()]
      .map((id) => [id, degreeOf(lineage, id).down] as const)
      .filter(([id, readers]) => readers > HUB_ABOVE && down.has(id) && !follows.has(id) && isDataset(lineage, id)),
  );
  // A node to keep is drawn with its whole path.
  for (const id of keep) for (const below of reach(down, id).keys()) hubs.delete(below);
  if (!hubs.size) return { ...shown, stubs: [], hubs };
  const gone = leadingNowhere(shown.arrows, hubs);
  const stubs = [...hubs.keys()].flatMap((hub) =>
    down
      .get(hub)!
      .filter((of) => !gone.has(of))
      .map((of) => ({ id: `stub:${hub}→${of}`, hub, of })),
  );
  return {
    ...shown,
    hops: new Map([...shown.hops].filter(([id]) => !gone.has(id))),
    arrows: shown.arrows.filter(({ from, to }) => !gone.has(from) && !gone.has(to)),
    folds: shown.folds.filter(({ of }) => !gone.has(of)),
    stubs,
    hubs,
  };
}

const isDataset = (lineage: Lineage, id: string) => lineage.items.get(id)?.kind === "dataset";

/** The hubs, and the nodes upstream of the hubs alone. */
function leadingNowhere(arrows: readonly Arrow[], hubs: ReadonlyMap<string, number>): Set<string> {
  const gone = new Set(hubs.keys());
  const down = sides(arrows).down;
  for (let size = -1; size !== gone.size; ) {
    size = gone.size;
    for (const [from, targets] of down) if (targets.every((to) => gone.has(to))) gone.add(from);
  }
  return gone;
}

/** All arrows to draw: between nodes, of folds and of stubs. */
export function drawnArrows({ arrows, folds, stubs }: Picture): Arrow[] {
  return [
    ...arrows,
    ...folds.map(({ id, of, side, words }) =>
      side === "up" ? { from: id, to: of } : { from: of, to: id, isControl: words !== undefined },
    ),
    ...stubs.map(({ id, of }) => ({ from: id, to: of })),
  ];
}

/** Return the drawn jobs with a single output, all of whose outputs are drawn; `boxes` stay boxes. */
export function jobsOnLines({ items, degrees, down }: Lineage, { hops }: Shown, boxes: ReadonlySet<string>) {
  return new Set(
    [...hops.keys()].filter((id) => {
      const [output] = down.get(id) ?? [];
      const isSingle = degrees.get(id)?.down === 1 && output !== undefined && hops.has(output);
      return isSingle && items.get(id)?.kind === "job" && items.get(output)?.kind === "dataset" && !boxes.has(id);
    }),
  );
}
