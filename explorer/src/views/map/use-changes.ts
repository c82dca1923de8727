/** The changes of a comparison, with what made them, as the panel lists them and the keys step through them. */

import { type RefObject, useMemo } from "react";

import type { ListChoice } from "../../draw/use-list-choice";
import type { Handled } from "../../draw/use-sight";
import { changeRows } from "../../model/changes";
import { isWide } from "../../model/graph";
import { titleOf } from "../../model/titles";
import type { Steps } from "../../parts/changes";
import { useCauses } from "../../parts/use-causes";
import { type MapState, NO_PATHS } from "../../url/state";
import type { Actions } from "./actions";
import { jobsDeep, type MapData } from "./data";
import type { MapPicture } from "./picture";

interface Compared {
  state: MapState;
  data: MapData;
  picture: MapPicture;
  actions: Actions;
  list: ListChoice;
  handled: RefObject<Handled | null>;
}

export function useChanges({ state, data, picture, actions, list, handled }: Compared): Steps {
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
