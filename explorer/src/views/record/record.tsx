/** A record's path from its root, its descendants and its proof, and the folded tree of a root. */

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { rootOutline, rootTrace, type SearchRecord, searchRecords } from "../../api/record-queries";
import { count, plural } from "../../model/format";
import { nestGroups } from "../../model/outline";
import { Button, Filter, LinkButton, MonoLink } from "../../parts/controls";
import { download, EmptyState, ErrorState, Head, Loaded, Skeleton, useAddress, useTitle } from "../../parts/frame";
import { Tinted } from "../../parts/signs";
import { type ColumnOf, LongTable } from "../../parts/table";
import { link } from "../../url/state";
import { RecordPath } from "./path";
import { RECORD_NODE, RECORDED, Tree } from "./tree";

export function RecordView() {
  const { node, root, action } = useAddress("node", "root", "action");
  useTitle(node || root ? `Record ${node || root}` : "Record");
  if (!node && !root)
    return (
      <EmptyState title="No record is chosen">Search for its node id, or for the place it was stored at.</EmptyState>
    );
  return (
    <div className="page">
      <Head
        sign={<Tinted look="kind-record" of="record" />}
        word={
          <>
            {node ? "Record" : "Root of records"}
            {node && root && " of "}
            {node && root && <MonoLink to={link("record", { root })}>{root}</MonoLink>}
          </>
        }
        title={node || root}
        isMono
      />
      {node ? (
        <RecordPath node={node} root={root} />
      ) : action ? (
        <RecordsOfAction root={root} action={action} />
      ) : (
        <Root root={root} />
      )}
    </div>
  );
}

function Root({ root }: { root: string }) {
  const result = useQuery(rootOutline(root));
  const trace = async () =>
    download(
      `trace-${root.replace(/[^\w.-]+/g, "_").slice(0, 60)}.jsonl`,
      "application/x-ndjson",
      await rootTrace(root),
    );
  const folds = useMemo(() => nestGroups(result.data?.groups ?? []), [result.data]);
  return (
    <section className="card">
      <div className="actions">
        <h2>All that came of it, folded by what was done</h2>
        <button className="button push" onClick={() => void trace()}>
          Trace as JSON lines
        </button>
      </div>
      <Loaded of={result}>
        {({ records, truncated }) => (
          <>
            <p className="muted">
              {plural(records, "record")}, live and archived{truncated && "; of the steps, the first are here"}
            </p>
            <Tree folds={folds} root={root} />
          </>
        )}
      </Loaded>
    </section>
  );
}

const COLUMNS: ColumnOf<SearchRecord>[] = [
  RECORD_NODE,
  { name: "Place", look: "mono", by: (record) => record.storage_location },
  RECORDED,
];

function useRecords(root: string, action: string) {
  return useInfiniteQuery({
    queryKey: ["records of action", root, action],
    queryFn: ({ pageParam, signal }) => searchRecords({ root, action }, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.cursor ?? undefined,
  });
}

function RecordsOfAction({ root, action }: { root: string; action: string }) {
  const [filter, setFilter] = useState("");
  const { data, error, refetch, hasNextPage, isFetching, fetchNextPage } = useRecords(root, action);
  if (!data) return error ? <ErrorState error={error} retry={() => void refetch()} /> : <Skeleton />;
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
          <Button disabled={isFetching} press={() => void fetchNextPage()}>
            Next page
          </Button>
        )}
      </div>
      <LongTable label={`records of ${action}`} columns={COLUMNS} rows={rows} keyOf={({ node_id }) => node_id} />
    </section>
  );
}
