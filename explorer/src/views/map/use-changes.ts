/** The changes of a comparison, with what made them, as the panel lists them and the keys step through them. */

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { history } from "../../api/queries";
import type { ListChoice } from "../../draw/use-list-choice";
import { type ChangeRow, changeRows } from "../../model/changes";
import { isWide } from "../../model/graph";
import type { MapState } from "../../url/state";
import { jobsDeep, type MapData } from "./data";
import type { MapPicture } from "./picture";

export interface Changes {
  /** Empty without a comparison. */
  rows: readonly ChangeRow[];
  isOpen: boolean;
  /** What is said in place of causes that are not known. */
  note: string;
}

export function useChanges(state: MapState, data: MapData, { shown }: MapPicture, list: ListChoice): Changes {
  const { comparison } = data;
  const isOpen = comparison !== null && comparison.changes.size > 0 && isAsked(state, list);
  const { steps, note } = useSteps(state, data, isOpen);
  const rows = useMemo(
    () => (comparison ? changeRows(comparison, shown.hops, steps) : []),
    [comparison, shown.hops, steps],
  );
  return { rows, isOpen, note };
}

/** True if the panel is to be open: by itself where nothing is selected and no list is open. */
const isAsked = ({ panel, sel }: MapState, { isList, isNarrow }: ListChoice) =>
  panel === "changes" || (panel === "" && !sel && !isList && !isNarrow);

const NONE: never[] = [];

/** The history of the graph between the two moments. */
function useSteps({ node, depth, at, vs }: MapState, { comparison }: MapData, isOpen: boolean) {
  const isTooWide = comparison !== null && isWide(comparison.lineage);
  const isBackward = at !== "" && at < vs;
  const { data, error, isPending } = useQuery({
    queryKey: ["history", node, depth, vs, at],
    queryFn: ({ signal }) => history(node, jobsDeep(node, depth), signal, { since: vs, until: at }),
    enabled: isOpen && !isTooWide && !isBackward,
    retry: false,
  });
  if (isBackward) return { steps: NONE, note: "Who made them is known of an earlier time than the one that is shown." };
  if (isTooWide || data === null)
    return { steps: NONE, note: "Who made them is not known here: too many neighbours, or too many changes, to read." };
  if (error) return { steps: NONE, note: `Who made them is not known: ${error.message}.` };
  return { steps: data ?? NONE, note: isPending ? "looking for who made them…" : "" };
}
