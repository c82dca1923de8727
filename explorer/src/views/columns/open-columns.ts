/** Columns that are open: what their bar, picture, list, panel and keys share. */

import { type RefObject, useRef } from "react";

import { type ListChoice, useListChoice } from "../../draw/use-list-choice";
import type { Handled } from "../../draw/use-sight";
import type { Placed } from "../../layout/boxes";
import type { ColumnLines } from "../../model/columns";
import { useNarrow } from "../../parts/tools";
import type { ColumnsState } from "../../url/state";
import { type Actions, useActions } from "./actions";
import type { ColumnsData } from "./data";
import { type ColumnsPicture, usePicture } from "./picture";

export interface OpenColumns {
  state: ColumnsState;
  data: ColumnsData;
  picture: ColumnsPicture;
  actions: Actions;
  list: ListChoice;
  handled: RefObject<Handled | null>;
  layout: RefObject<Placed | null>;
}

export function useOpenColumns(state: ColumnsState, data: ColumnsData, now: ColumnLines): OpenColumns {
  const actions = useActions(state, useNarrow());
  const picture = usePicture(now, data.before, state, actions.opened);
  const list = useListChoice(state.list, (list) => actions.to({ list }));
  const handled = useRef<Handled>(null);
  const layout = useRef<Placed>(null);
  return { state, data, picture, actions, list, handled, layout };
}
