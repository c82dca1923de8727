/** What is loaded for the columns: their lines now, or at a time, and those of the time to compare with. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";

import { columnsQuery, columnsThen } from "../../api/queries";
import type { ColumnsState } from "../../url/state";

export type ColumnsData = ReturnType<typeof useColumnsData>;

/** Return the lines now, and those to compare with: null without such a time, and while they load. */
export function useColumnsData({ node, depth, at, vs }: ColumnsState) {
  const now = useQuery({ ...columnsQuery(node, depth, at), enabled: node !== "", placeholderData: keepPreviousData });
  const other = useQuery({
    ...columnsThen(node, depth, vs),
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
