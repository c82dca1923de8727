/** The marks of late datasets and of old data: a fact of the whole estate, fetched once a minute for all views. */

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { OLD_DATA } from "../api/list-queries";
import { type Freshness, troubleOf } from "../model/freshness";
import { When } from "./frame";

/** Marks by node id; null: not known. */
export type Marks = ReadonlyMap<string, Freshness> | null;

/** Return the marks by node id; null before they are there, and of a service that has no report on old data. */
export function useOldData(enabled = true): Marks {
  const { data } = useQuery({ ...OLD_DATA, staleTime: 60_000, enabled });
  return useMemo(
    () =>
      data && enabled
        ? new Map(
            data.datasets.map(({ nodeId, lateSince, onOldDataSince, writtenAt: written }) => [
              nodeId,
              { late: lateSince !== null, isOnOldData: onOldDataSince !== null, written },
            ]),
          )
        : null,
    [data, enabled],
  );
}

/** When a dataset was written; amber with a word, if it is late or on old data. */
export function Written({ time, freshness }: { time: string | null; freshness: Freshness | undefined }) {
  const trouble = troubleOf(freshness);
  return (
    <span className={trouble ? "changed" : undefined}>
      {(time || !trouble) && <When time={time} />}
      {time && trouble && ", "}
      {trouble}
    </span>
  );
}
