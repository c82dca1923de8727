/** Records that were found, by their node's id or by their place; the start of a search for them. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import type { ResponseOf } from "../../api/client";
import { rootsFrom, type SearchRecord, searchRecords } from "../../api/record-queries";
import { count } from "../../model/format";
import { Button, Filter, MonoLink } from "../../parts/controls";
import { EmptyState, Loaded } from "../../parts/frame";
import { useReader } from "../../parts/me";
import { type ColumnOf, LongTable } from "../../parts/table";
import { link } from "../../url/state";
import { RECORD_NODE, RECORDED } from "../record/tree";

const WORDS = "a node’s id, the start of a location or of a root’s id";

/** The first roots, and a field for what is known of a record. */
export function RecordsStart() {
  const [, navigate] = useLocation();
  const [typed, setTyped] = useState("");
  return (
    <div className="page">
      <h1>Records</h1>
      <form
        className="actions"
        role="search"
        aria-label="records"
        onSubmit={(event) => {
          event.preventDefault();
          if (typed.trim()) navigate(link("search", { q: typed.trim(), kind: "record" }));
        }}
      >
        <Filter label={WORDS} value={typed} set={setTyped} hint={WORDS} look="wide" />
        <Button main>Find</Button>
      </form>
      <Roots prefix="" />
    </div>
  );
}

export function Records({ q }: { q: string }) {
  const { root } = useReader();
  const by = { ...(q.includes("/") ? { location: q } : { node: q }), root };
  const result = useQuery({ queryKey: ["records", by], queryFn: ({ signal }) => searchRecords(by, undefined, signal) });
  return (
    <Loaded of={result}>
      {({ records, cursor }) => (
        <section className="card">
          <p className="muted">
            By {"location" in by ? "the start of its location" : "its node id"}, exactly as it was sent.{" "}
            {cursor && "There may be more; the archive may take seconds."}
          </p>
          {records.length === 0 && (
            <EmptyState title={"location" in by ? "No record's location begins so" : "No record has this id"}>
              {cursor && <Button press={() => void result.refetch()}>Search again</Button>}
            </EmptyState>
          )}
          {records.length > 0 && (
            <LongTable
              label="records"
              rows={records}
              keyOf={(record) => `${record.root_id} ${record.node_id}`}
              columns={COLUMNS}
            />
          )}
        </section>
      )}
    </Loaded>
  );
}

const RECORD_ROOT: ColumnOf<{ root_id: string }> = {
  name: "Root",
  by: ({ root_id }) => root_id,
  cell: ({ root_id }) => <MonoLink to={link("record", { root: root_id })}>{root_id}</MonoLink>,
};
const COLUMNS: ColumnOf<SearchRecord>[] = [
  RECORD_NODE,
  { name: "Action", by: (record) => record.action_taken },
  RECORD_ROOT,
  RECORDED,
];

type Root = ResponseOf<"/api/v1/records/roots">["roots"][number];

export function Roots({ prefix }: { prefix: string }) {
  const { root } = useReader();
  const { data } = useQuery({ ...rootsFrom(prefix), enabled: root === undefined });
  if (root !== undefined && !prefix)
    return (
      <p>
        Your token opens the root <MonoLink to={link("record", { root })}>{root}</MonoLink>.
      </p>
    );
  if (!data?.roots.length) return prefix ? null : <p className="muted">No root is listed here.</p>;
  return (
    <section className="card">
      <p className="muted">
        {prefix ? `Roots whose id begins with “${prefix}”` : "Roots, by their ids"}
        {data.cursor && `; the first ${count(data.roots.length)} are here`}
      </p>
      <LongTable label="roots" rows={data.roots} keyOf={(match) => match.root_id} columns={ROOTS} />
    </section>
  );
}

const ROOTS: ColumnOf<Root>[] = [
  RECORD_ROOT,
  {
    name: "Archived",
    look: "fixed",
    by: (match) => match.archivedOn ?? "",
    cell: (match) => match.archivedOn ?? <span className="muted">not yet</span>,
  },
  { name: "Records in the archive", by: (match) => match.archivedRecords },
];
