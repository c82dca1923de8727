/** What is loaded for the columns: their lines now, or at a time, and those of the time to compare with. */

import { keepPreviousData, type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useCallback } from "react";

import { columnsQuery, columnsThen, type Dataset, dataset as fetchDataset } from "../../api/queries";
import type { ColumnLines } from "../../model/columns";
import { datasetOf, fieldId } from "../../url/ids";
import type { ColumnsState } from "../../url/state";

const NO_SCHEMA: readonly string[] = [];

export interface ColumnsData {
  now: UseQueryResult<ColumnLines>;
  /** The lines of the time to compare with; null without one, and while they load. */
  before: ColumnLines | null;
  /** Ids of the focus's columns in the order of its schema; empty until they are known. */
  schema: readonly string[];
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
  const id = datasetOf(node);
  const { data: schema = NO_SCHEMA } = useQuery({
    ...fetchDataset(id),
    enabled: node !== "",
    select: useCallback((dataset: Dataset) => dataset.fields.map(({ name }) => fieldId(dataset, name)), []),
  });
  return { now, schema, before: vs ? (other.data ?? null) : null, failure: vs ? other.error : null };
}
