/** A map that is open: what its bar, picture, list, panels and keys share. */

import { useMemo } from "react";

import { areChangesOpen, type OpenPicture, useHandles } from "../../draw/picture-view";
import { changeRows } from "../../model/changes";
import { isWide, type Lineage } from "../../model/graph";
import { titleOf } from "../../model/titles";
import type { Steps } from "../../parts/changes";
import { useCauses } from "../../parts/use-causes";
import { kindOf } from "../../url/ids";
import { columnsLink, type MapState, NO_PATHS } from "../../url/state";
import { type Actions, useActions } from "./actions";
import { jobsDeep, type MapData } from "./data";
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
