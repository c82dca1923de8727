/** The history of a graph between the two moments of a comparison, which says who made its changes. */

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { datasetVersions, history } from "../api/queries";
import { type Step, stepsOfVersions } from "../model/changes";
import { titleOfId } from "../model/titles";
import { kindOf } from "../url/ids";
import type { Moment } from "../url/state";

const NONE: never[] = [];

interface Compared extends Moment {
  node: string;
  /** How far the graph reaches, in jobs. */
  depth: number;
}

/** Return the steps of the history, and a note where they are not known; while not `isOpen`, nothing is asked. */
export function useCauses({ node, depth, at, vs }: Compared, isOpen: boolean, isTooWide: boolean) {
  const isBackward = at !== "" && at < vs;
  const { data, error, isPending } = useQuery({
    queryKey: ["history", node, depth, vs, at],
    queryFn: ({ signal }) => history(node, depth, signal, { since: vs, until: at }),
    enabled: isOpen && !isTooWide && !isBackward,
    retry: false,
  });
  const ofFocus = useOwnCauses({ node, at, vs }, isOpen && isTooWide && !isBackward && kindOf(node) === "dataset");
  if (isBackward)
    return { causes: NONE, note: "Who made them is known of an earlier time than the one that is shown." };
  if (ofFocus.length)
    return { causes: ofFocus, note: `Who made them is known of ${titleOfId(node)} alone: it has too many neighbours.` };
  if (isTooWide || data === null)
    return {
      causes: NONE,
      note: "Who made them is not known here: too many neighbours, or too many changes, to read.",
    };
  if (error) return { causes: NONE, note: `Who made them is not known: ${error.message}.` };
  return { causes: data ?? NONE, note: isPending ? "looking for who made them…" : "" };
}

const VERSIONS_MAX = 100;

/** The changes of the focus's own schema, by its versions: they are few where the history of the graph is too long. */
function useOwnCauses({ node, at, vs }: Omit<Compared, "depth">, isAsked: boolean): readonly Step[] {
  const { data } = useQuery({ ...datasetVersions(node, VERSIONS_MAX), enabled: isAsked, retry: false });
  return useMemo(
    () => (isAsked && data ? stepsOfVersions(node, data.versions, { vs, at }) : NONE),
    [isAsked, data, node, vs, at],
  );
}
