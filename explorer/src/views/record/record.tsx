/** A record's path from its root, its descendants and its proof, and the folded tree of a root. */

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { Link } from "wouter";
import { Failure } from "../../api/client";
import {
  type Place,
  recordNode,
  rootOutline,
  rootTrace,
  type SearchRecord,
  searchRecords,
} from "../../api/record-queries";
import { count, plural } from "../../model/format";
import { nestGroups, outlineOf } from "../../model/outline";
import { Button, Filter, LinkButton, MonoLink } from "../../parts/controls";
import { download, EmptyState, ErrorState, Head, Loaded, Skeleton, useAddress, useTitle } from "../../parts/frame";
import { useReader } from "../../parts/reader";
import { Tinted } from "../../parts/signs";
import { type ColumnOf, LongTable } from "../../parts/table";
import { link } from "../../url/state";
import { Proof } from "./proof";
import { Path, RECORD_NODE, RECORDED, Tree } from "./tree";

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

// -- a record between its root and its leaves

function RecordPath({ node, root }: { node: string; root: string }) {
  const live = useQuery({ ...recordNode(node), retry: false });
  if (live.error instanceof Failure && live.error.status === 404)
    return root ? <Proof root={root} node={node} withPath /> : <Archived node={node} />;
  return (
    <Loaded of={live} rows={4}>
      {({ matches, truncated }) => {
        const of = matches.filter((match) => !root || match.record.root_id === root);
        if (!of.length) return <Proof root={root} node={node} withPath />;
        return (
          <>
            {of.map((match) => (
              <Match key={match.record.root_id} match={match} node={node} />
            ))}
            {truncated && <p className="muted">It has records in more roots.</p>}
          </>
        );
      }}
    </Loaded>
  );
}

/** The record of a node in a root. */
interface Of {
  match: Place;
  node: string;
}

function Match({ match, node }: Of) {
  const root = match.record.root_id;
  return (
    <div className="columns2 wider">
      <section className="card">
        <h2>
          From its root <MonoLink to={link("record", { root })}>{root}</MonoLink>
        </h2>
        {match.complete === false && <Gap match={match} />}
        <Path steps={match.path} here={node} />
      </section>
      <div>
        <section className="card">
          <h2>
            What came of it{" "}
            <span className="muted">
              {plural(match.descendants.length, "record")}
              {match.truncated && ", at least"}
            </span>
          </h2>
          {match.descendants.length === 0 && <p className="muted">Nothing: it is a leaf.</p>}
          <Tree folds={outlineOf(match.descendants, node)} root={root} />
        </section>
        <Proof root={root} node={node} withPath={false} />
      </div>
    </div>
  );
}

/** The reason why a path does not lead to the root. */
function Gap({ match }: Pick<Of, "match">) {
  return (
    <p className="changed">
      ~{" "}
      {match.missing ? (
        <>
          What came before is not in the table:{" "}
          {match.missing.map((missing) => (
            <Link key={missing} className="mono" href={link("record", { node: missing, root: match.record.root_id })}>
              {missing}
            </Link>
          ))}
        </>
      ) : (
        `This path does not lead to the root: a circle over ${match.cycle?.join(", ") ?? "its parents"}.`
      )}
    </p>
  );
}

function Archived({ node }: { node: string }) {
  const { root } = useReader();
  const result = useQuery({
    queryKey: ["record-archived", node, root],
    queryFn: ({ signal }) => searchRecords({ node, root }, undefined, signal),
  });
  return (
    <Loaded of={result} rows={4}>
      {({ records, cursor }) => (
        <section className="card">
          <p className="muted">It is no longer in the table; this is what the archive has.</p>
          {records.length === 0 &&
            (cursor ? (
              <Button press={() => void result.refetch()}>The archive is still being searched: search again</Button>
            ) : (
              <p>Nothing of this id is known.</p>
            ))}
          <Path steps={records} here={node} />
        </section>
      )}
    </Loaded>
  );
}
