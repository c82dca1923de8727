/** What was found: jobs, datasets and columns by a part of their name, records by node or place, a namespace's own. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation, useSearch } from "wouter";

import { browse } from "../../api/list-queries";
import type { Hit } from "../../api/queries";
import { rootsFrom, searchRecords } from "../../api/record-queries";
import { count, plural } from "../../model/format";
import { type TestState, termsOf, toTestState, withoutState } from "../../model/terms";
import { Loaded, mapOf, Nothing, useTitle, When } from "../../parts/frame";
import { HitState, Marked, useHits } from "../../parts/hits";
import { useReader } from "../../parts/me";
import { Name } from "../../parts/name";
import { SignOf } from "../../parts/signs";
import { type ColumnOf, LongTable } from "../../parts/table";
import { link } from "../../url/state";

const KINDS = { JOB: "job", DATASET: "dataset", DATASET_FIELD: "field" } as const;
const WORDS = { JOB: "job", DATASET: "dataset", DATASET_FIELD: "column" } as const;
const LIMIT = 200;

export function SearchView() {
  const query = new URLSearchParams(useSearch());
  const [q, kind, namespace, tag] = [
    query.get("q") ?? "",
    query.get("kind") ?? "",
    query.get("namespace") ?? "",
    query.get("tag") ?? "",
  ];
  const state = withoutState(q).state || toTestState(query.get("state"));
  const { can } = useReader();
  const isOfRecords = kind === "record" && !q;
  const title = isOfRecords ? "Records" : q ? `“${q}”` : namespace || (state && STATE_TITLES[state]);
  useTitle(q ? `Search: ${q}` : tag ? `Tag: ${tag}` : title);
  if (isOfRecords) return <RecordsStart />;
  if (!q && !namespace && !tag && !state)
    return <Nothing title="What are you looking for?">Type a part of a name above.</Nothing>;
  return (
    <div className="page">
      {tag ? <TagHead tag={tag} /> : <h1>{title}</h1>}
      {q && can("searchRecords") && can("search") && (
        <nav className="tabs" aria-label="kinds">
          {[
            ["", "Jobs, datasets, columns"],
            ["record", "Records"],
          ].map(([value, title]) => (
            <Link
              key={value}
              href={link("search", { q, kind: value })}
              aria-current={kind === value ? "page" : undefined}
            >
              {title}
            </Link>
          ))}
        </nav>
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

const STATE_TITLES = { failing: "A test fails", warning: "A test warns" } as const;
const STATES = [["", "All"], ...Object.entries(STATE_TITLES)] as const;

/** Buttons that keep what has a failing test; a tag or an owner has none beside it. */
function StateChoice({ q, state }: { q: string; state: TestState }) {
  const [, navigate] = useLocation();
  const { text } = withoutState(q);
  const { tag, owner } = termsOf(text);
  if (tag || owner) return null;
  return (
    <div className="actions">
      <div className="group" role="group" aria-label="state of the tests">
        {STATES.filter(([value]) => value || text).map(([value, title]) => (
          <button
            key={value}
            className="button"
            aria-pressed={state === value}
            onClick={() => navigate(link("search", { q: text, state: value }), { replace: true })}
          >
            {title}
          </button>
        ))}
      </div>
      {state && <Link href={link("tests")}>all failing tests</Link>}
    </div>
  );
}

function TagHead({ tag }: { tag: string }) {
  return (
    <>
      <header className="head">
        <span className="kind-tag">
          <SignOf of="tag" />
        </span>
        <div>
          <div className="kind-word">Tag</div>
          <h1>{tag}</h1>
        </div>
      </header>
      <div className="actions">
        <Link className="button main" href={link("usage", { tag })}>
          Where its columns flow
        </Link>
      </div>
    </>
  );
}

function columnsOf(q: string): ColumnOf<Hit>[] {
  return [
    {
      name: "Name",
      by: (hit) => hit.field ?? hit.name,
      cell: (hit) => (
        <span className="named">
          <span className={`kind-${KINDS[hit.type]}`}>
            <SignOf of={KINDS[hit.type]} />
          </span>
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
    { name: "State", cell: (hit) => <HitState hit={hit} /> },
    { name: "Kind", by: (hit) => hit.type, cell: (hit) => WORDS[hit.type] },
    { name: "Namespace", by: (hit) => hit.namespace, cell: (hit) => <span className="mono">{hit.namespace}</span> },
    { name: "Changed", by: (hit) => hit.updatedAt, cell: (hit) => <When time={hit.updatedAt} /> },
  ];
}

function Names({ q, tag = "", state = "" }: { q: string; tag?: string; state?: TestState }) {
  const result = useHits(q, LIMIT, { tag, state });
  const { can } = useReader();
  return (
    <Loaded of={result}>
      {({ names, fields, all }) =>
        all.length === 0 ? (
          <Nothing title={tag ? "Nothing has this tag" : state ? "No test of these does so" : "Nothing has this name"}>
            {!tag && !state && can("searchRecords") && (
              <Link href={link("search", { q, kind: "record" })}>Look among records</Link>
            )}
          </Nothing>
        ) : (
          <section className="card">
            <p className="muted" role="status">
              {count(names.total)} jobs and datasets{!state && `, ${plural(fields.total, "column")}`}
              {(names.truncated || fields.truncated) && ", at least"}
              {all.length < names.total + fields.total && `; the first ${count(all.length)} are here`}
            </p>
            <LongTable label="found" columns={columnsOf(q)} rows={all} keyOf={(hit) => hit.nodeId} />
          </section>
        )
      }
    </Loaded>
  );
}

function Browse({ namespace }: { namespace: string }) {
  const result = useQuery({
    queryKey: ["browse", namespace],
    queryFn: ({ signal }) => browse(namespace, LIMIT, signal),
  });
  return (
    <Loaded of={result}>
      {({ hits, total }) => (
        <section className="card">
          <p className="muted">
            {count(total)} jobs and datasets{hits.length < total && `; the first ${count(hits.length)} are here`}
          </p>
          <LongTable
            label="in the namespace"
            columns={columnsOf("").filter(({ name }) => name !== "Namespace")}
            rows={hits}
            keyOf={(hit) => hit.nodeId}
          />
        </section>
      )}
    </Loaded>
  );
}

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
        <input
          className="field wide"
          placeholder="a node’s id, the start of a location or of a root’s id"
          aria-label="a node’s id, the start of a location or of a root’s id"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <button className="button main">Find</button>
      </form>
      <Roots prefix="" />
    </div>
  );
}

/** The roots whose id begins with what was typed; a token of some roots may be refused the list. */
function Roots({ prefix }: { prefix: string }) {
  const { root } = useReader();
  const { data } = useQuery({
    queryKey: ["roots", prefix],
    queryFn: ({ signal }) => rootsFrom(prefix, signal),
    enabled: root === undefined,
  });
  if (root !== undefined && !prefix)
    return (
      <p>
        Your token opens the root{" "}
        <Link className="mono" href={link("record", { root })}>
          {root}
        </Link>
        .
      </p>
    );
  if (!data?.roots.length) return prefix ? null : <p className="muted">No root is listed here.</p>;
  return (
    <section className="card">
      <p className="muted">
        {prefix ? `Roots whose id begins with “${prefix}”` : "Roots, by their ids"}
        {data.cursor && `; the first ${count(data.roots.length)} are here`}
      </p>
      <LongTable
        label="roots"
        rows={data.roots}
        keyOf={(match) => match.root_id}
        columns={[
          {
            name: "Root",
            by: (match) => match.root_id,
            cell: (match) => (
              <Link className="mono" href={link("record", { root: match.root_id })}>
                {match.root_id}
              </Link>
            ),
          },
          {
            name: "Archived",
            by: (match) => match.archivedOn ?? "",
            cell: (match) => match.archivedOn ?? <span className="muted">not yet</span>,
          },
          {
            name: "Records in the archive",
            by: (match) => match.archivedRecords,
            cell: (match) => count(match.archivedRecords),
          },
        ]}
      />
    </section>
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
            <Nothing title={"location" in by ? "No record's location begins so" : "No record has this id"}>
              {cursor && (
                <button className="button" onClick={() => void result.refetch()}>
                  Search again
                </button>
              )}
            </Nothing>
          )}
          {records.length > 0 && (
            <LongTable
              label="records"
              rows={records}
              keyOf={(record) => `${record.root_id} ${record.node_id}`}
              columns={[
                {
                  name: "Node",
                  by: (record) => record.node_id,
                  cell: (record) => (
                    <Link className="mono" href={link("record", { node: record.node_id, root: record.root_id })}>
                      {record.node_id}
                    </Link>
                  ),
                },
                { name: "Action", by: (record) => record.action_taken, cell: (record) => record.action_taken },
                {
                  name: "Root",
                  by: (record) => record.root_id,
                  cell: (record) => (
                    <Link className="mono" href={link("record", { root: record.root_id })}>
                      {record.root_id}
                    </Link>
                  ),
                },
                {
                  name: "Recorded",
                  by: (record) => record.recordedAt,
                  cell: (record) => <When time={new Date(record.recordedAt * 1000).toISOString()} />,
                },
              ]}
            />
          )}
        </section>
      )}
    </Loaded>
  );
}
