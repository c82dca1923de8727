/** Columns that are open: what their bar, picture, list, panel and keys share. */

import { type OpenPicture, useHandles } from "../../draw/picture-view";
import type { ColumnLines } from "../../model/columns";
import { useNarrow } from "../../parts/tools";
import type { ColumnsState } from "../../url/state";
import { type Actions, useActions } from "./actions";
import type { ColumnsData } from "./data";
import { type ColumnsPicture, usePicture } from "./picture";
import { useChanges } from "./use-changes";

export interface OpenColumns extends OpenPicture {
  state: ColumnsState;
  data: ColumnsData;
  picture: ColumnsPicture;
  actions: Actions;
}

export function useOpenColumns(state: ColumnsState, data: ColumnsData, now: ColumnLines): OpenColumns {
  const actions = useActions(state, useNarrow());
  const picture = usePicture(now, data.before, state, actions.opened);
  const handles = useHandles(state, (list) => actions.to({ list }));
  const changes = useChanges({ state, picture, actions, ...handles });
  return { state, data, picture, actions, ...handles, changes };
}
