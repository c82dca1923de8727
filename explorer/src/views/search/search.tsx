/** What was found: jobs, datasets and columns by a part of their name, records by node or place, a namespace's own. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import type { ResponseOf } from "../../api/client";
import { browse } from "../../api/list-queries";
import type { Hit } from "../../api/queries";
import { rootsFrom, type SearchRecord, searchRecords } from "../../api/record-queries";
import { count, plural } from "../../model/format";
import { type TestState, termsOf, toTestState, withoutState } from "../../model/terms";
import { Button, Choices, Filter, MainLink, MonoLink, Tabs, type TabTitles } from "../../parts/controls";
import { TagHead } from "../../parts/facts";
import { HitState, KIND_OF_HIT, Marked, useHits } from "../../parts/find";
import { Asked, EmptyState, Loaded, mapOf, useAddress, useTitle } from "../../parts/frame";
import { useReader } from "../../parts/reader";
import { KindOf, Name } from "../../parts/signs";
import { type ColumnOf, LongTable, times } from "../../parts/table";
import { link } from "../../url/state";
import { RECORD_NODE, RECORDED } from "../record/tree";

const STATE_TITLES = { failing: "A test fails", warning: "A test warns" } as const;
const STATES = [["", "All"], ...Object.entries(STATE_TITLES)] as const;
const KINDS: TabTitles = [
  ["", "Jobs, datasets, columns"],
  ["record", "Records"],
];

export function SearchView() {
  const { q, kind, namespace, tag, ...given } = useAddress("q", "kind", "namespace", "tag", "state");
  const state = withoutState(q).state || toTestState(given.state);
  const { can } = useReader();
  const isOfRecords = kind === "record" && !q;
  const title = isOfRecords ? "Records" : q ? `“${q}”` : namespace || (state && STATE_TITLES[state]);
  useTitle(q ? `Search: ${q}` : tag ? `Tag: ${tag}` : title);
  if (isOfRecords) return <RecordsStart />;
  if (!q && !namespace && !tag && !state)
    return <EmptyState title="What are you looking for?">Type a part of a name above.</EmptyState>;
  return (
    <div className="page">
      {tag ? (
        <>
          <TagHead tag={tag} />
          <div className="actions">
            <MainLink to={link("usage", { tag })}>Where its columns flow</MainLink>
          </div>
        </>
      ) : (
        <h1>{title}</h1>
      )}
      {q && can("searchRecords") && can("search") && (
        <Tabs label="kinds" of={KINDS} tab={kind} to={(other) => link("search", { q, kind: other })} />
      )}
      {tag ? (
        <Names q="" tag={tag} />
      ) : namespace ? (
        <Browse namespace={namespace} />
      ) : kind === "record" ? (
        <>
          <Roots prefix={q} />
          <Records q={q} />
        </>
      ) : (
        <>
          <StateChoice q={q} state={state} />
          <Names q={q} state={state} />
        </>
      )}
    </div>
  );
}

/** Buttons that keep what has a failing test; a tag or an owner has none beside it. */
function StateChoice({ q, state }: { q: string; state: TestState }) {
  const [, navigate] = useLocation();
  const { text } = withoutState(q);
  const { tag, owner } = termsOf(text);
  if (tag || owner) return null;
  return (
    <div className="actions">
      <Choices
        label="state of the tests"
        among={STATES.filter(([value]) => value || text)}
        value={state}
        choose={(value) => navigate(link("search", { q: text, state: value }), { replace: true })}
      />
      {state && <Link href={link("tests")}>all failing tests</Link>}
    </div>
  );
}

const WORDS = { JOB: "job", DATASET: "dataset", DATASET_FIELD: "column" } as const;
const LIMIT = 200;

/** Columns of the table, without those that say nothing of these hits. */
function columnsOf(hits: readonly Hit[], q = ""): ColumnOf<Hit>[] {
  const title = titleOfState(hits);
  return [
    {
      name: "Name",
      by: (hit) => hit.field ?? hit.name,
      cell: (hit) => (
        <span className="named">
          <KindOf of={KIND_OF_HIT[hit.type]} namespace={hit.namespace} />
          <span>
            <Link href={mapOf(hit.nodeId)}>
              <Marked text={hit.field ?? hit.name} q={termsOf(q).words} />
            </Link>
            {hit.field !== undefined && (
              <span className="where">
                {" "}
                of <Name text={hit.name} /> · <Link href={link("impact", { node: hit.nodeId })}>what breaks</Link>
              </span>
            )}
          </span>
        </span>
      ),
    },
    ...(title ? [{ name: title, cell: (hit: Hit) => <HitState hit={hit} /> }] : []),
    { name: "Kind", by: (hit) => hit.type, cell: (hit) => WORDS[hit.type] },
    { name: "Namespace", look: "mono", by: (hit) => hit.namespace },
    times("Changed", (hit) => hit.updatedAt),
  ];
}

/** Return what the states of hits are: of jobs how they ended, of columns their types; empty if none has one. */
function titleOfState(hits: readonly Hit[]): string {
  const isOfColumns = hits.some((hit) => "fieldType" in hit && hit.fieldType);
  const isOfOthers = hits.some((hit) => "latestRun" in hit || "fieldCount" in hit);
  return [isOfOthers && "State", isOfColumns && "Type"].filter(Boolean).join(", ");
}

/** Return "3 jobs and datasets, 1 column", without a kind that there is none of. */
const countsOf = (names: number, fields: number) =>
  [(names > 0 || fields === 0) && `${count(names)} jobs and datasets`, fields > 0 && plural(fields, "column")]
    .filter(Boolean)
    .join(", ");

function Names({ q, tag = "", state = "" }: { q: string; tag?: string; state?: TestState }) {
  const result = useHits(q, LIMIT, { tag, state });
  const { can } = useReader();
  return (
    <Loaded of={result}>
      {({ names, fields, all }) =>
        all.length === 0 ? (
          <EmptyState
            title={tag ? "Nothing has this tag" : state ? "No test of these does so" : "Nothing has this name"}
          >
            {!tag && !state && can("searchRecords") && (
              <Link href={link("search", { q, kind: "record" })}>Look among records</Link>
            )}
          </EmptyState>
        ) : (
          <section className="card">
            <p className="muted" role="status">
              {countsOf(names.total, state ? 0 : fields.total)}
              {(names.truncated || fields.truncated) && ", at least"}
              {all.length < names.total + fields.total && `; the first ${count(all.length)} are here`}
            </p>
            <LongTable label="found" columns={columnsOf(all, q)} rows={all} keyOf={(hit) => hit.nodeId} />
          </section>
        )
      }
    </Loaded>
  );
}

const Browse = ({ namespace }: { namespace: string }) => (
  <Asked query={browse(namespace, LIMIT)}>
    {({ hits, total }) => (
      <section className="card">
        <p className="muted">
          {count(total)} jobs and datasets{hits.length < total && `; the first ${count(hits.length)} are here`}
        </p>
        <LongTable
          label="in the namespace"
          columns={columnsOf(hits).filter(({ name }) => name !== "Namespace")}
          rows={hits}
          keyOf={(hit) => hit.nodeId}
        />
      </section>
    )}
  </Asked>
);

const OF_RECORDS = "a node’s id, the start of a location or of a root’s id";

/** The first roots, and a field for what is known of a record. */
function RecordsStart() {
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
        <Filter label={OF_RECORDS} value={typed} set={setTyped} hint={OF_RECORDS} look="wide" />
        <Button main>Find</Button>
      </form>
      <Roots prefix="" />
    </div>
  );
}

function Records({ q }: { q: string }) {
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

function Roots({ prefix }: { prefix: string }) {
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
