/** The data of a map: the graph around its focus, and a small graph for each opened side. */

import { keepPreviousData, type UseQueryResult, useQueries, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { type LineageQuery, lineageQuery } from "../../api/queries";
import { type Comparison, compareLineages } from "../../model/compare";
import { DRAWN_MAX, depthToRequest, FOLD_ABOVE, type Lineage, mergeLineages, parseMark } from "../../model/graph";
import { kindOf } from "../../url/ids";
import type { MapState } from "../../url/state";

export interface MapData {
  focus: UseQueryResult<Lineage>;
  /** All loaded nodes; in a comparison, the union of both moments. */
  lineage: Lineage | null;
  comparison: Comparison | null;
  isLate: boolean;
  /** Why a part is missing, the focus's graph apart. */
  failure: Error | null;
  retry: () => void;
}

/** The reach of a map from its focus in jobs, as the API counts. */
export const jobsDeep = (node: string, depth: number) =>
  depthToRequest(kindOf(node) === "job" ? "job" : "dataset", depth);

/** The queries of a map at a moment, first the focus's query. A comparison has all neighbours, with their columns. */
function queriesOf({ node, depth, open, beside, pick, all, vs, dependencies }: MapState, at: string): LineageQuery[] {
  const asked = {
    ...(dependencies ? { dependencies } : {}),
    ...(vs ? { at, full: true } : { at, fold: all.length ? DRAWN_MAX : FOLD_ABOVE }),
  };
  return [
    { node, depth: jobsDeep(node, depth), direction: "through", ...asked },
    ...[...open, ...beside]
      .map(parseMark)
      .map(([side, id]): LineageQuery => ({ node: id, depth: 0, direction: side, ...asked })),
    // A picked node needs the node with its fold.
    ...pick.map(
      (id): LineageQuery => ({
        node: id,
        depth: 0,
        direction: "through",
        ...asked,
        ...(vs ? {} : { fold: DRAWN_MAX }),
      }),
    ),
  ];
}

/** The loaded parts, and the first failure. */
const combine = (parts: UseQueryResult<Lineage>[]) => ({
  loaded: parts.flatMap(({ data }) => data ?? []),
  isPending: parts.some(({ isPending }) => isPending),
  failed: parts.find(({ error }) => error),
});

function useMoment(state: MapState, at: string, enabled: boolean) {
  const [first, ...others] = queriesOf(state, at);
  const focus = useQuery({ ...lineageQuery(first!), enabled, placeholderData: keepPreviousData });
  const { loaded, isPending, failed } = useQueries({ queries: enabled ? others.map(lineageQuery) : [], combine });
  const lineage = useMemo(() => (focus.data ? mergeLineages([focus.data, ...loaded]) : null), [focus.data, loaded]);
  return { focus, lineage, isLate: focus.isPlaceholderData || isPending, failed };
}

export function useMapData(state: MapState): MapData {
  const isCompared = state.vs !== "";
  const now = useMoment(state, state.at, state.node !== "");
  const then = useMoment(state, state.vs, state.node !== "" && isCompared);
  const comparison = useMemo(
    () => (isCompared && now.lineage && then.lineage ? compareLineages(then.lineage, now.lineage, state.vs) : null),
    [isCompared, now.lineage, then.lineage, state.vs],
  );
  const failed = now.failed ?? (isCompared ? (then.focus.error ? then.focus : then.failed) : undefined);
  return {
    focus: now.focus,
    comparison,
    lineage: comparison?.lineage ?? now.lineage,
    isLate: now.isLate || (isCompared && then.isLate),
    failure: failed?.error ?? null,
    retry: () => void failed?.refetch(),
  };
}
