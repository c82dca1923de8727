/** What stands beside the map: the facts and actions of the selected node, or what is in a fold. */

import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { Link } from "wouter";

import {
  datasetTests,
  errorOf,
  dataset as fetchDataset,
  lineage as fetchLineage,
  run as fetchRun,
  jobTests,
} from "../../api/queries";
import { count, duration, plural } from "../../model/format";
import { arrowKey, degreeOf, type Item, type Lineage, showWay } from "../../model/graph";
import { nearestTroubles } from "../../model/paths";
import { titleOf } from "../../model/titles";
import { ErrorText } from "../../parts/error-text";
import { Loaded, NodeLink, pageOf, When } from "../../parts/frame";
import { SignOf, StateOf } from "../../parts/signs";
import { Tags } from "../../parts/tags";
import { FailingTests, TestList, TestsOf } from "../../parts/tests";
import { columnsLink, link, type MapState, mapLink, type Side } from "../../url/state";

interface Props {
  item: Item;
  lineage: Lineage;
  state: MapState;
  /** Ids on the map. */
  drawn: ReadonlyMap<string, number>;
  close: () => void;
  choose: (id: string) => void;
  open: (id: string, side: Side) => void;
}

export function NodePanel({ item, lineage, state, drawn, close, choose, open }: Props) {
  const [why, setWhy] = useState(state.why && item.id === state.node);
  return (
    <aside className="side" aria-label={`about ${item.name}`}>
      <button className="icon close" aria-label="close" onClick={close}>
        <SignOf of="close" />
      </button>
      <div className="kind-word">
        <span className={`kind-${item.kind}`}>
          <SignOf of={item.kind} />
        </span>{" "}
        {item.kind === "job" ? "Job" : "Dataset"}
      </div>
      <h1>{titleOf(item)}</h1>
      <div className="where mono">
        {item.namespace}
        {titleOf(item) !== item.name && (
          <>
            <br />
            {item.name}
          </>
        )}
      </div>
      {item.description && <p>{item.description}</p>}
      <div className="actions">
        <Link className="button main" href={mapLink({ node: item.id, at: state.at, vs: state.vs })}>
          Centre here
        </Link>
        <Link className="button" href={pageOf(item.id)}>
          Open
        </Link>
        {item.kind === "dataset" && (
          <Link className="button" href={columnsLink({ node: item.id, at: state.at })}>
            Columns
          </Link>
        )}
        <Link className="button" href={link("impact", { node: item.id })}>
          Impact
        </Link>
        <button className="button" aria-pressed={why} onClick={() => setWhy(!why)}>
          Why?
        </button>
      </div>
      {why && <Why item={item} state={state} drawn={drawn} choose={choose} />}
      {item.kind === "job" ? <JobFacts item={item} /> : <DatasetFacts item={item} />}
      {(["up", "down"] as const).map((side) => (
        <Neighbours key={side} side={side} item={item} lineage={lineage} choose={choose} open={open} />
      ))}
      {item.tests && item.tests.failed + item.tests.warned > 0 && <Failures item={item} at={state.at} />}
      {item.fieldCount > 0 && <Schema key={item.id} item={item} />}
    </aside>
  );
}

const WHY_DEPTH = 20,
  WHY_FOLD = 20;

/** The nearest trouble upstream, farther than the map reaches. */
function Why({ item, state, drawn, choose }: Pick<Props, "item" | "state" | "drawn" | "choose">) {
  const { at } = state;
  const result = useQuery({
    queryKey: ["why", item.id, at],
    queryFn: ({ signal }) =>
      fetchLineage({ node: item.id, depth: WHY_DEPTH, at, direction: "up", fold: WHY_FOLD }, signal),
  });
  return (
    <section className="card">
      <h2>Nearest trouble upstream</h2>
      <Loaded of={result} rows={3}>
        {(lineage) => <Troubles lineage={lineage} id={item.id} state={state} drawn={drawn} choose={choose} />}
      </Loaded>
    </section>
  );
}

function Troubles({
  lineage,
  id,
  state,
  drawn,
  choose,
}: { lineage: Lineage; id: string } & Pick<Props, "state" | "drawn" | "choose">) {
  const troubles = useMemo(() => nearestTroubles(lineage, id), [lineage, id]);
  const isPart =
    lineage.truncated ||
    [...lineage.degrees].some(([neighbour, { up }]) => up > (lineage.up.get(neighbour)?.length ?? 0));
  return (
    <>
      {troubles.length === 0 && (
        <p className="muted">No failed or aborted job, no stale dataset and no failing test is known upstream.</p>
      )}
      <ul className="plain">
        {troubles.map(({ item: trouble, hops }) => (
          <li key={trouble.id}>
            {drawn.has(trouble.id) ? (
              <button className="chip" onClick={() => choose(trouble.id)}>
                {trouble.name}
              </button>
            ) : (
              <b>{trouble.name}</b>
            )}{" "}
            {trouble.kind === "job" && <StateOf state={trouble.state} />}
            {trouble.stale && (
              <span className="state stale">
                <SignOf of="stale" />
                stale
              </span>
            )}{" "}
            <FailingTests tests={trouble.tests} />{" "}
            <span className="muted">
              {plural(hops, "hop")} up, <When time={trouble.touchedAt} />
            </span>
            {trouble.state === "FAILED" && trouble.runId && <RunError id={trouble.runId} />}
            <div className="actions">
              <Link className="button" href={mapLink({ ...showWay(lineage, trouble.id, id), at: state.at })}>
                Show the way
              </Link>
              {trouble.runId && (
                <Link className="button" href={link("run", { id: trouble.runId })}>
                  Run
                </Link>
              )}
              {trouble.owners.length > 0 && <span className="muted">owned by {trouble.owners.join(", ")}</span>}
            </div>
          </li>
        ))}
      </ul>
      {isPart && <p className="small muted">Of many neighbours, those that ran last were looked at.</p>}
    </>
  );
}

function JobFacts({ item }: { item: Item }) {
  const took = item.startedAt && item.endedAt ? Date.parse(item.endedAt) - Date.parse(item.startedAt) : null;
  return (
    <>
      <dl className="facts">
        <dt>Last run</dt>
        <dd>
          <StateOf state={item.state} />
        </dd>
        {item.runId && (
          <>
            <dt>Run</dt>
            <dd>
              <Link className="mono" href={link("run", { id: item.runId })}>
                {item.runId}
              </Link>
            </dd>
          </>
        )}
        {item.incomplete && (
          <>
            <dt>Lineage</dt>
            <dd>
              <span className="state stale">
                <SignOf of="stale" />
                incomplete
              </span>
              : the run could not report all of it
            </dd>
          </>
        )}
        <dt>Ended</dt>
        <dd>
          <When time={item.endedAt} />
        </dd>
        <dt>Took</dt>
        <dd>{duration(took)}</dd>
        <TestsOf tests={item.tests} />
        <Owned item={item} />
      </dl>
      {item.state === "FAILED" && item.runId && <RunError id={item.runId} />}
    </>
  );
}

/** The error of a failed run: the graph does not have it, so it is fetched for the selected job alone. */
function RunError({ id }: { id: string }) {
  const { data } = useQuery({ queryKey: ["run", id], queryFn: ({ signal }) => fetchRun(id, signal) });
  const error = data ? errorOf(data.facets) : null;
  return error === null ? null : (
    <>
      <h2 className="removed">✕ Error</h2>
      <ErrorText text={error} />
    </>
  );
}

function DatasetFacts({ item }: { item: Item }) {
  return (
    <dl className="facts">
      <dt>Written</dt>
      <dd>
        <When time={item.touchedAt} />
      </dd>
      {item.stale && (
        <>
          <dt>State</dt>
          <dd>
            <span className="state stale">
              <SignOf of="stale" />
              stale
            </span>
            : who wrote it last does so no more
          </dd>
        </>
      )}
      {item.temporary && (
        <>
          <dt>Kind</dt>
          <dd>temporary</dd>
        </>
      )}
      <TestsOf tests={item.tests} />
      <Owned item={item} />
    </dl>
  );
}

/** The tests that fail: the graph has their numbers alone. */
function Failures({ item, at }: { item: Item; at: string }) {
  const result = useQuery({
    queryKey: ["tests", item.id, at],
    queryFn: ({ signal }) => (item.kind === "job" ? jobTests : datasetTests)(item.id, at, signal),
  });
  return (
    <section>
      <h2>Failing tests</h2>
      <Loaded of={result} rows={2}>
        {({ tests }) => (
          <TestList results={tests.filter(({ outcome }) => outcome !== "PASSED").slice(0, NEIGHBOURS_MAX)} />
        )}
      </Loaded>
    </section>
  );
}

function Owned({ item }: { item: Item }) {
  return (
    <>
      {item.owners.length > 0 && (
        <>
          <dt>Owners</dt>
          <dd>{item.owners.join(", ")}</dd>
        </>
      )}
      {item.tags.length > 0 && (
        <>
          <dt>Tags</dt>
          <dd>
            <Tags names={item.tags} />
          </dd>
        </>
      )}
    </>
  );
}

const TITLES = { job: { up: "Reads", down: "Writes" }, dataset: { up: "Written by", down: "Read by" } };
const OF_DATASETS = { up: "Made of", down: "Made into" },
  OF_JOBS = { up: "Takes data from", down: "Gives data to" },
  WAITS = { up: "Waits for", down: "Waited for by" };

/** What a neighbour is to a node: jobs and datasets may be neighbours of their own kind. */
function titleOfNeighbour(lineage: Lineage, item: Item, id: string, side: Side): string {
  if (lineage.items.get(id)?.kind !== item.kind) return TITLES[item.kind][side];
  if (item.kind === "dataset") return OF_DATASETS[side];
  return (
    lineage.controls.has(arrowKey(side === "up" ? { from: id, to: item.id } : { from: item.id, to: id }))
      ? WAITS
      : OF_JOBS
  )[side];
}
const NEIGHBOURS_MAX = 12;

function Neighbours({
  side,
  item,
  lineage,
  choose,
  open,
}: {
  side: Side;
  item: Item;
  lineage: Lineage;
  choose: (id: string) => void;
  open: (id: string, side: Side) => void;
}) {
  const ids = lineage[side].get(item.id) ?? [],
    usual = TITLES[item.kind][side];
  const hidden = degreeOf(lineage, item.id)[side] - ids.length;
  const groups = new Map<string, string[]>(hidden > 0 ? [[usual, []]] : []);
  for (const id of ids) {
    const title = titleOfNeighbour(lineage, item, id, side);
    groups.set(title, [...(groups.get(title) ?? []), id]);
  }
  return [...groups].map(([title, group]) => {
    const all = group.length + (title === usual ? hidden : 0),
      left = all - Math.min(group.length, NEIGHBOURS_MAX);
    return (
      <section key={title}>
        <h2>
          {title} <span className="muted">{count(all)}</span>
        </h2>
        <ul className="plain">
          {group.slice(0, NEIGHBOURS_MAX).map((id) => (
            <li key={id}>
              <NodeLink id={id} name={lineage.items.get(id)?.name ?? id} where={null} href={mapLink({ node: id })} />{" "}
              <button className="chip" onClick={() => choose(id)}>
                select
              </button>
            </li>
          ))}
        </ul>
        {left > 0 && (
          <button className="button" onClick={() => open(item.id, side)}>
            {count(left)} more: open on the map
          </button>
        )}
      </section>
    );
  });
}

/** A dataset's columns: a map fetched in short has only their number. */
function Schema({ item }: { item: Item }) {
  const { data } = useQuery({
    queryKey: ["dataset", item.id],
    queryFn: ({ signal }) => fetchDataset(item.id, signal),
    enabled: item.fields.length === 0,
  });
  const fields = data?.fields ?? item.fields;
  return (
    <section>
      <h2>
        Columns <span className="muted">{count(item.fieldCount)}</span>
      </h2>
      <table className="table">
        <tbody>
          {fields.slice(0, 100).map((field) => (
            <tr key={field.name}>
              <td className="mono">
                <Link href={columnsLink({ node: `datasetField:${item.namespace}:${item.name}:${field.name}` })}>
                  {field.name}
                </Link>
                {field.description && <div className="small muted">{field.description}</div>}
              </td>
              <td className="muted">{field.type ?? ""}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
