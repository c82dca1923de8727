/** The picture of a map: its nodes, folds and hubs, their names and boxes, and the lit path. */

import { useMemo } from "react";

import { CARD, FOLD, STUB } from "../../draw/card";
import type { Comparison } from "../../model/compare";
import { type Lineage, show } from "../../model/graph";
import { drawnArrows, foldHubs } from "../../model/hubs";
import { between, pathThrough } from "../../model/paths";
import { titlesOf } from "../../model/titles";
import type { MapState } from "../../url/state";

/** Make the picture of a lineage; `all` has the hubs as nodes, as the list shows them. */
export function usePicture(lineage: Lineage, focus: string, state: MapState, comparison: Comparison | null) {
  const { sel, to } = state;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the lists of the state are new at each render
  const all = useMemo(
    () => show(lineage, focus, { ...state, unfolded: comparison?.changes }),
    [lineage, focus, comparison, state.dir, state.depth, state.open.join(), state.pick.join(), state.all.join()],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the lists of the state are new at each render
  const shown = useMemo(
    () => foldHubs(lineage, all, focus, state.vs ? [...all.hops.keys()] : [...state.hub, sel, to]),
    [lineage, all, focus, state.vs, state.hub.join(), sel, to],
  );
  const titles = useMemo(
    () => titlesOf([...shown.hops.keys(), ...shown.hubs.keys()].flatMap((id) => lineage.items.get(id) ?? [])),
    [lineage, shown],
  );
  const arrows = useMemo(() => drawnArrows(shown), [shown]);
  const boxes = useMemo(
    () => [
      ...[...shown.hops.keys()].map((id) => ({ id, ...CARD })),
      ...shown.folds.map(({ id }) => ({ id, ...FOLD, isLast: true })),
      ...shown.stubs.map(({ id }) => ({ id, ...STUB })),
    ],
    [shown],
  );
  const path = useMemo(() => {
    if (!boxes.some(({ id }) => id === sel)) return null;
    return shown.hops.has(to) ? between(arrows, sel, to) : pathThrough(arrows, sel);
  }, [sel, to, arrows, boxes, shown]);
  return { all, shown, titles, boxes, arrows, path };
}
