/** Hubs of a map: an input with very many readers becomes a stub at each, so its lines do not cover the picture. */

import { type Arrow, degreeOf, type Lineage, reach, type Shown, sides } from "./graph";

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
export function jobsOnLines(
  { items, degrees, down }: Lineage,
  { hops }: Shown,
  boxes: ReadonlySet<string>,
): Set<string> {
  return new Set(
    [...hops.keys()].filter((id) => {
      const [output] = down.get(id) ?? [];
      const isSingle = degrees.get(id)?.down === 1 && output !== undefined && hops.has(output);
      return isSingle && items.get(id)?.kind === "job" && items.get(output)?.kind === "dataset" && !boxes.has(id);
    }),
  );
}
