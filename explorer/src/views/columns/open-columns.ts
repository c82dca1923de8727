/** Open columns: their lines, what a reader does with them, their changes. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { columnsQuery, foldedLineage } from "../../api/queries";
import { areChangesOpen, type OpenPicture, useHandles, useMoves } from "../../draw/picture-view";
import { columnChangeRows } from "../../model/changes";
import { type ColumnLines, NO_LINES } from "../../model/columns";
import { isWide } from "../../model/graph";
import type { Steps } from "../../parts/changes";
import { useNarrow } from "../../parts/tools";
import { useCauses } from "../../parts/use-causes";
import { datasetOf, nameOf } from "../../url/ids";
import { type ColumnsState, columnsLink, type Panel } from "../../url/state";
import { type ColumnsPicture, usePicture } from "./picture";

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

export type ColumnsData = ReturnType<typeof useColumnsData>;

/** Return the lines now, and those to compare with: null without such a time, and while they load. */
export function useColumnsData(state: ColumnsState) {
  const { node, vs } = state;
  const now = useQuery({ ...columnsQuery(state), enabled: node !== "", placeholderData: keepPreviousData });
  const other = useQuery({
    ...columnsQuery({ ...state, at: vs }, NO_LINES),
    enabled: node !== "" && vs !== "",
    placeholderData: keepPreviousData,
  });
  return {
    now,
    isLate: now.isPlaceholderData,
    before: vs ? (other.data ?? null) : null,
    failure: vs ? other.error : null,
    retry: () => void other.refetch(),
  };
}

export type Actions = ReturnType<typeof useActions>;

/** What a reader does; `opened` are the cards that show all their columns, each with its filter. */
export function useActions(state: ColumnsState, isNarrow: boolean) {
  const { anchor, setAnchor, to } = useMoves(state, columnsLink);
  const [opened, setOpened] = useState<ReadonlyMap<string, string>>(new Map());
  // The panel may be hidden though a column is selected, as on a phone.
  const [isPanelClosed, closePanel] = useState(isNarrow);
  const select = useCallback(
    (id: string, sel: string, panel: Panel = state.panel === "none" ? "none" : "") => {
      closePanel(false);
      to({ sel, panel }, datasetOf(id));
    },
    [to, state.panel],
  );
  const choose = useCallback((id: string, panel?: Panel) => select(id, id, panel), [select]);
  // Select a column, or clear the selection if it is of the column.
  const toggle = useCallback(
    (id: string, sel: string) => select(id, id === sel && id !== state.node ? "" : id),
    [select, state.node],
  );
  const open = useCallback(
    (dataset: string, filter: string) => {
      setAnchor(dataset);
      setOpened((now) => new Map([...now, [dataset, filter]]));
    },
    [setAnchor],
  );
  return { anchor, to, choose, toggle, opened, open, isPanelClosed, closePanel };
}

type Compared = Pick<OpenColumns, "state" | "picture" | "actions" | "list" | "handled">;

export function useChanges({ state, picture, actions, list, handled }: Compared): Steps {
  const { comparison, cards, titles } = picture;
  const isOpen = comparison !== null && comparison.changes.size > 0 && areChangesOpen(state, list);
  const { depth, at, vs } = state,
    node = datasetOf(state.node);
  const graph = useQuery({ ...foldedLineage(node, depth), enabled: isOpen });
  const isTooWide = graph.data !== undefined && isWide(graph.data);
  const { causes, note } = useCauses({ node, depth, at, vs }, isOpen && graph.isFetched, isTooWide);
  const rows = useMemo(() => {
    const drawn = new Set(cards.flatMap((card) => [...card.columns.map(({ id }) => id), ...card.hidden]));
    return comparison ? columnChangeRows(comparison, drawn, causes) : [];
  }, [comparison, cards, causes]);
  return {
    rows,
    isOpen,
    note,
    sel: state.sel,
    titleOf: ({ id, name }) => {
      const title = titles.get(datasetOf(id))?.title;
      return title ? `${title}.${nameOf(id).field}` : name;
    },
    goTo: (id) => {
      if (cards.some(({ hidden }) => hidden.includes(id))) actions.open(datasetOf(id), "");
      actions.choose(id, "changes");
      handled.current?.center(datasetOf(id));
    },
    close: () => actions.to({ panel: "none" }),
  };
}
