/** What is loaded for the columns: their lines now, or at a time, and those of the time to compare with. */

import { keepPreviousData, type UseQueryResult, useQuery } from "@tanstack/react-query";

import { columnsQuery, columnsThen } from "../../api/queries";
import type { ColumnLines } from "../../model/columns";
import type { ColumnsState } from "../../url/state";

export interface ColumnsData {
  now: UseQueryResult<ColumnLines>;
  /** The lines of the time to compare with; null without one, and while they load. */
  before: ColumnLines | null;
  /** Why there are none. */
  failure: Error | null;
}

export function useColumnsData({ node, depth, at, vs }: ColumnsState): ColumnsData {
  const now = useQuery({ ...columnsQuery(node, depth, at), enabled: node !== "", placeholderData: keepPreviousData });
  const other = useQuery({
    ...columnsThen(node, depth, vs),
    enabled: node !== "" && vs !== "",
    placeholderData: keepPreviousData,
  });
  return { now, before: vs ? (other.data ?? null) : null, failure: vs ? other.error : null };
}
