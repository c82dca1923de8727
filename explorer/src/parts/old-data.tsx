/** The marks of late datasets and of old data: a fact of the whole estate, fetched once a minute for all views. */

import { useQuery } from "@tanstack/react-query";

import type { ResponseOf } from "../api/client";
import { OLD_DATA } from "../api/list-queries";
import { type Freshness, troubleOf } from "../model/freshness";
import { When } from "./frame";

/** Marks by node id; null: not known; undefined: not there yet. */
export type Marks = ReadonlyMap<string, Freshness> | null | undefined;

/** Return the marks by node id; null of a service that has no report on old data. */
export function useOldData(enabled = true): Marks {
  const { data, isPending } = useQuery({ ...OLD_DATA, select: toMarks, staleTime: 60_000, enabled });
  return enabled && isPending ? undefined : (enabled && data) || null;
}

const toMarks = ({ datasets }: ResponseOf<"/api/v1/reports/old-data">) =>
  new Map(
    datasets.map(({ nodeId, lateSince, onOldDataSince, writtenAt: written }) => [
      nodeId,
      { late: lateSince !== null, isOnOldData: onOldDataSince !== null, written },
    ]),
  );

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
