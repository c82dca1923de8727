/** The records of a root to which the same was done, page by page. */

import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";

import { type SearchRecord, searchRecords } from "../../api/record-queries";
import { count, plural } from "../../model/format";
import { Filter, LinkButton, MonoLink } from "../../parts/controls";
import { Bones, Failed, When } from "../../parts/frame";
import { type ColumnOf, LongTable } from "../../parts/table";
import { link } from "../../url/state";
import { timeOf } from "./tree";

const COLUMNS: ColumnOf<SearchRecord>[] = [
  {
    name: "Node",
    by: (record) => record.node_id,
    cell: (record) => (
      <MonoLink to={link("record", { node: record.node_id, root: record.root_id })}>{record.node_id}</MonoLink>
    ),
  },
  {
    name: "Place",
    by: (record) => record.storage_location,
    cell: (record) => <span className="mono">{record.storage_location}</span>,
  },
  { name: "Recorded", by: (record) => record.recordedAt, cell: (record) => <When time={timeOf(record.recordedAt)} /> },
];

function useRecords(root: string, action: string) {
  return useInfiniteQuery({
    queryKey: ["records of action", root, action],
    queryFn: ({ pageParam, signal }) => searchRecords({ root, action }, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.cursor ?? undefined,
  });
}

export function RecordsOfAction({ root, action }: { root: string; action: string }) {
  const [filter, setFilter] = useState("");
  const { data, error, refetch, hasNextPage, isFetching, fetchNextPage } = useRecords(root, action);
  if (!data) return error ? <Failed error={error} retry={() => void refetch()} /> : <Bones />;
  const all = data.pages.flatMap(({ records }) => records);
  const rows = all.filter(({ node_id, storage_location }) => `${node_id} ${storage_location}`.includes(filter));
  return (
    <section className="card">
      <div className="actions">
        <h2>{action}</h2>
        <LinkButton to={link("record", { root })}>All actions</LinkButton>
        <Filter label="filter the records" value={filter} set={setFilter} />
        <span className="muted" role="status">
          {filter && `${count(rows.length)} of `}
          {plural(all.length, "record")}
          {hasNextPage && ", and there may be more"}
        </span>
        {hasNextPage && (
          <button className="button" disabled={isFetching} onClick={() => void fetchNextPage()}>
            Next page
          </button>
        )}
      </div>
      <LongTable label={`records of ${action}`} columns={COLUMNS} rows={rows} keyOf={({ node_id }) => node_id} />
    </section>
  );
}
