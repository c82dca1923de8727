/** Columns that are open: what their bar, picture, list, panel and keys share. */

import { type RefObject, useRef } from "react";

import { type ListChoice, useListChoice } from "../../draw/use-list-choice";
import type { Handled } from "../../draw/use-sight";
import type { Placed } from "../../layout/boxes";
import type { ColumnLines } from "../../model/columns";
import type { Steps } from "../../parts/changes";
import { useNarrow } from "../../parts/tools";
import type { ColumnsState } from "../../url/state";
import { type Actions, useActions } from "./actions";
import type { ColumnsData } from "./data";
import { type ColumnsPicture, usePicture } from "./picture";
import { useChanges } from "./use-changes";

export interface OpenColumns {
  state: ColumnsState;
  data: ColumnsData;
  picture: ColumnsPicture;
  actions: Actions;
  list: ListChoice;
  handled: RefObject<Handled | null>;
  layout: RefObject<Placed | null>;
  changes: Steps;
}

export function useOpenColumns(state: ColumnsState, data: ColumnsData, now: ColumnLines): OpenColumns {
  const actions = useActions(state, useNarrow());
  const picture = usePicture(now, data.before, state, actions.opened);
  const list = useListChoice(state.list, (list) => actions.to({ list }));
  const handled = useRef<Handled>(null);
  const layout = useRef<Placed>(null);
  const changes = useChanges({ state, picture, actions, list, handled });
  return { state, data, picture, actions, list, handled, layout, changes };
}
