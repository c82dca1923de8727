/** What a reader does with the columns. The selection is in the address, opened cards are not. */

import { useCallback, useState } from "react";
import { useLocation } from "wouter";

import { datasetOf } from "../../url/ids";
import { type ColumnsState, columnsLink, isStep, type Panel } from "../../url/state";

export interface Actions {
  /** Id of the dataset that was acted on last: it stays where it is, and in sight. */
  anchor: string;
  to: (change: Partial<ColumnsState>) => void;
  /** Select a column, and show its panel or another one. */
  choose: (id: string, panel?: Panel) => void;
  /** Select a column, or clear the selection if it is of that column. */
  toggle: (id: string, sel: string) => void;
  /** The datasets that show all of their columns, each with the filter of its card. */
  opened: ReadonlyMap<string, string>;
  open: (dataset: string, filter: string) => void;
  /** Whether the panel is hidden though a column is selected, as on a phone. */
  isPanelClosed: boolean;
  closePanel: (isClosed: boolean) => void;
}

export function useActions(state: ColumnsState, isNarrow: boolean): Actions {
  const [, navigate] = useLocation();
  const [opened, setOpened] = useState<ReadonlyMap<string, string>>(new Map());
  const [anchor, setAnchor] = useState(datasetOf(state.sel || state.node));
  const [isPanelClosed, closePanel] = useState(isNarrow);
  const to = useCallback(
    (change: Partial<ColumnsState>) =>
      navigate(columnsLink({ ...state, ...change }), { replace: !isStep(state, change) }),
    [navigate, state],
  );
  const select = useCallback(
    (id: string, sel: string, panel: Panel = state.panel === "none" ? "none" : "") => {
      closePanel(false);
      setAnchor(datasetOf(id));
      to({ sel, panel });
    },
    [to, state.panel],
  );
  const choose = useCallback((id: string, panel?: Panel) => select(id, id, panel), [select]);
  const toggle = useCallback(
    (id: string, sel: string) => select(id, id === sel && id !== state.node ? "" : id),
    [select, state.node],
  );
  const open = useCallback((dataset: string, filter: string) => {
    setAnchor(dataset);
    setOpened((now) => new Map([...now, [dataset, filter]]));
  }, []);
  return { anchor, to, choose, toggle, opened, open, isPanelClosed, closePanel };
}
