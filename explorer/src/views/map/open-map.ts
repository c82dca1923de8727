/** A map that is open: what its bar, picture, list, panels and keys share. */

import { type RefObject, useRef } from "react";

import { type ListChoice, useListChoice } from "../../draw/use-list-choice";
import type { Handled } from "../../draw/use-sight";
import type { Placed } from "../../layout/boxes";
import type { Lineage } from "../../model/graph";
import type { Steps } from "../../parts/changes";
import { kindOf } from "../../url/ids";
import { columnsLink, type MapState } from "../../url/state";
import { type Actions, useActions } from "./actions";
import type { MapData } from "./data";
import { type MapPicture, usePicture } from "./picture";
import { useChanges } from "./use-changes";

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
