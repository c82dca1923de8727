/** The changes of a comparison of columns, with what made them, as the panel lists them and the keys step through them. */

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { foldedLineage } from "../../api/queries";
import { areChangesOpen } from "../../draw/picture-view";
import { columnChangeRows } from "../../model/changes";
import { isWide } from "../../model/graph";
import type { Steps } from "../../parts/changes";
import { useCauses } from "../../parts/use-causes";
import { datasetOf, nameOf } from "../../url/ids";
import type { OpenColumns } from "./open-columns";

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
