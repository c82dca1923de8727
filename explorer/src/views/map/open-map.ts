/** A map that is open: what its bar, picture, list, panels and keys share. */

import { type RefObject, useMemo, useRef } from "react";
import { type ListChoice, useListChoice } from "../../draw/use-list-choice";
import type { Handled } from "../../draw/use-sight";
import type { Placed } from "../../layout/boxes";
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

export interface OpenMap {
  state: MapState;
  data: MapData;
  picture: MapPicture;
  actions: Actions;
  list: ListChoice;
  changes: Steps;
  handled: RefObject<Handled | null>;
  layout: RefObject<Placed | null>;
}

export function useOpenMap(state: MapState, data: MapData, whole: Lineage): OpenMap {
  const picture = usePicture(whole, state, data.comparison);
  const actions = useActions(state, picture);
  const list = useListChoice(state.list, (list) => actions.to({ list }));
  const handled = useRef<Handled>(null);
  const changes = useChanges({ state, data, picture, actions, list, handled });
  const layout = useRef<Placed>(null);
  return { state, data, picture, actions, list, changes, handled, layout };
}

/** A link to the columns of the selected dataset; if none is selected, of `focus`. */
export const columnsOf = ({ sel, at, vs }: MapState, focus: string) =>
  columnsLink({ node: kindOf(sel) === "dataset" ? sel : focus, at, vs });

interface Compared {
  state: MapState;
  data: MapData;
  picture: MapPicture;
  actions: Actions;
  list: ListChoice;
  handled: RefObject<Handled | null>;
}

function useChanges({ state, data, picture, actions, list, handled }: Compared): Steps {
  const { comparison } = data;
  const { shown, titles } = picture;
  const isOpen = comparison !== null && comparison.changes.size > 0 && isAsked(state, list);
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

/** True if the panel is to be open: by itself where nothing is selected and no list is open. */
const isAsked = ({ panel, sel }: MapState, { isList, isNarrow }: ListChoice) =>
  panel === "changes" || (panel === "" && !sel && !isList && !isNarrow);
