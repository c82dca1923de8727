/** Paths in a drawn graph: the whole path through a node, the paths between two, a node's neighbours. */

import { type Arrow, arrowKey, type Item, type Lineage, reach, sides } from "./graph";

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
