/** What stands beside the map: the facts and actions of the selected node, or what is in a fold. */

import { useMemo, useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";

import { dataset as fetchDataset, errorOf, run as fetchRun } from "../../api/queries";
import { DRAWN_MAX, type Fold, type Item, type Lineage } from "../../model/graph";
import { count, duration, plural, titleOf } from "../../model/format";
import { nearestTroubles } from "../../model/paths";
import { NodeLink, pageOf, When } from "../../parts/frame";
import { SignOf, StateOf } from "../../parts/signs";
import { columnsLink, link, mapLink, type MapState, type Side } from "../../url/state";

interface Props {
  item: Item;
  lineage: Lineage;
  state: MapState;
  close: () => void;
  choose: (id: string) => void;
  open: (id: string, side: Side) => void;
}

export function NodePanel({ item, lineage, state, close, choose, open }: Props) {
  const [why, setWhy] = useState(false);
  return (
    <aside className="side" aria-label={`about ${item.name}`}>
      <button className="icon close" aria-label="close" onClick={close}><SignOf of="close" /></button>
      <div className="kind-word"><span className={`kind-${item.kind}`}><SignOf of={item.kind} /></span> {item.kind === "job" ? "Job" : "Dataset"}</div>
      <h1>{titleOf(item)}</h1>
      <div className="where mono">{item.namespace}{titleOf(item) !== item.name && <><br />{item.name}</>}</div>
      {item.description && <p>{item.description}</p>}
      <div className="actions">
        <Link className="button main" href={mapLink({ node: item.id, at: state.at, vs: state.vs })}>Centre here</Link>
        <Link className="button" href={pageOf(item.id)}>Open</Link>
        {item.kind === "dataset" && <Link className="button" href={columnsLink({ node: item.id, at: state.at })}>Columns</Link>}
        <Link className="button" href={link("impact", { node: item.id })}>Impact</Link>
        <button className="button" aria-pressed={why} onClick={() => setWhy(!why)}>Why?</button>
      </div>
      {why && <Why item={item} lineage={lineage} choose={choose} />}
      {item.kind === "job" ? <JobFacts item={item} /> : <DatasetFacts item={item} />}
      {(["up", "down"] as const).map((side) => <Neighbours key={side} side={side} item={item} lineage={lineage} choose={choose} open={open} />)}
      {item.fieldCount > 0 && <Schema key={item.id} item={item} />}
    </aside>
  );
}

function Why({ item, lineage, choose }: { item: Item; lineage: Lineage; choose: (id: string) => void }) {
  const troubles = useMemo(() => nearestTroubles(lineage, item.id), [lineage, item.id]);
  return (
    <section className="card">
      <h2>Nearest trouble upstream</h2>
      {troubles.length === 0 && <p className="muted">No failed or aborted job and no stale dataset is known upstream, as far as this map reaches.</p>}
      <ul className="plain">
        {troubles.map(({ item: found, hops }) => (
          <li key={found.id}>
            <button className="chip" onClick={() => choose(found.id)}>{found.name}</button>{" "}
            {found.kind === "job" ? <StateOf state={found.state} /> : <span className="state stale"><SignOf of="stale" />stale</span>} <span className="muted">{plural(hops, "hop")} up, <When time={found.touchedAt} /></span>
            {found.state === "FAILED" && found.runId && <RunError id={found.runId} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

function JobFacts({ item }: { item: Item }) {
  const took = item.startedAt && item.endedAt ? Date.parse(item.endedAt) - Date.parse(item.startedAt) : null;
  return (
    <>
      <dl className="facts">
        <dt>Last run</dt><dd><StateOf state={item.state} /></dd>
        {item.runId && <><dt>Run</dt><dd><Link className="mono" href={link("run", { id: item.runId })}>{item.runId}</Link></dd></>}
        <dt>Ended</dt><dd><When time={item.endedAt} /></dd>
        <dt>Took</dt><dd>{duration(took)}</dd>
        {item.owners.length > 0 && <><dt>Owners</dt><dd>{item.owners.join(", ")}</dd></>}
      </dl>
      {item.state === "FAILED" && item.runId && <RunError id={item.runId} />}
    </>
  );
}

/** The error of a failed run: the graph does not have it, so it is fetched for the selected job alone. */
function RunError({ id }: { id: string }) {
  const { data } = useQuery({ queryKey: ["run", id], queryFn: ({ signal }) => fetchRun(id, signal) });
  const error = data ? errorOf(data.facets) : null;
  return error === null ? null : <><h2 className="removed">✕ Error</h2><pre>{error}</pre></>;
}

function DatasetFacts({ item }: { item: Item }) {
  return (
    <dl className="facts">
      <dt>Written</dt><dd><When time={item.touchedAt} /></dd>
      {item.stale && <><dt>State</dt><dd><span className="state stale"><SignOf of="stale" />stale</span>: who wrote it last does so no more</dd></>}
      {item.temporary && <><dt>Kind</dt><dd>temporary</dd></>}
      {item.owners.length > 0 && <><dt>Owners</dt><dd>{item.owners.join(", ")}</dd></>}
      {item.tags.length > 0 && <><dt>Tags</dt><dd>{item.tags.map((tag) => <span key={tag} className="chip">{tag}</span>)}</dd></>}
    </dl>
  );
}

const TITLES = { job: { up: "Reads", down: "Writes" }, dataset: { up: "Written by", down: "Read by" } };
const NEIGHBOURS_MAX = 12;

function Neighbours({ side, item, lineage, choose, open }: { side: Side; item: Item; lineage: Lineage; choose: (id: string) => void; open: (id: string, side: Side) => void }) {
  const ids = lineage[side].get(item.id) ?? [];
  if (!ids.length) return null;
  return (
    <section>
      <h2>{TITLES[item.kind][side]} <span className="muted">{count(ids.length)}</span></h2>
      <ul className="plain">
        {ids.slice(0, NEIGHBOURS_MAX).map((id) => {
          const other = lineage.items.get(id);
          return <li key={id}><NodeLink id={id} name={other?.name ?? id} where={null} href={mapLink({ node: id })} /> <button className="chip" onClick={() => choose(id)}>select</button></li>;
        })}
      </ul>
      {ids.length > NEIGHBOURS_MAX && <button className="button" onClick={() => open(item.id, side)}>{count(ids.length - NEIGHBOURS_MAX)} more: open on the map</button>}
    </section>
  );
}

/** A dataset's columns: a map fetched in short has only their number. */
function Schema({ item }: { item: Item }) {
  const { data } = useQuery({ queryKey: ["dataset", item.id], queryFn: ({ signal }) => fetchDataset(item.id, signal), enabled: item.fields.length === 0 });
  const fields = data?.fields ?? item.fields;
  return (
    <section>
      <h2>Columns <span className="muted">{count(item.fieldCount)}</span></h2>
      <table className="table">
        <tbody>
          {fields.slice(0, 100).map((field) => (
            <tr key={field.name}>
              <td className="mono"><Link href={columnsLink({ node: `datasetField:${item.namespace}:${item.name}:${field.name}` })}>{field.name}</Link>{field.description && <div className="small muted">{field.description}</div>}</td>
              <td className="muted">{field.type ?? ""}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function FoldPanel({ fold, lineage, state, close, change }: { fold: Fold; lineage: Lineage; state: MapState; close: () => void; change: (state: Partial<MapState>) => void }) {
  const [filter, setFilter] = useState("");
  const found = fold.ids.filter((id) => (lineage.items.get(id)?.name ?? id).toLowerCase().includes(filter.toLowerCase()));
  const mark = `${fold.side}:${fold.of}`;
  return (
    <aside className="side" aria-label={`${fold.ids.length} more`}>
      <button className="icon close" aria-label="close" onClick={close}><SignOf of="close" /></button>
      <h1>{count(fold.ids.length)} more</h1>
      <p className="muted">{fold.side === "up" ? "Upstream" : "Downstream"} of {lineage.items.get(fold.of)?.name ?? fold.of}; those that ran last are drawn.</p>
      <div className="actions">
        <input className="field" placeholder="filter by name" aria-label="filter by name" value={filter} onChange={(event) => setFilter(event.target.value)} />
        <button className="button" onClick={() => change({ all: [...state.all, mark], sel: "" })}>Draw {fold.ids.length > DRAWN_MAX ? `${DRAWN_MAX} of them` : "all"}</button>
      </div>
      <ul className="plain">
        {found.slice(0, DRAWN_MAX).map((id) => {
          const item = lineage.items.get(id);
          return (
            <li key={id}>
              <NodeLink id={id} name={item?.name ?? id} where={null} />{" "}
              {item?.state && <StateOf state={item.state} />}{" "}
              <button className="chip" onClick={() => change({ pick: [...state.pick, id] })}>draw</button>
            </li>
          );
        })}
      </ul>
      {found.length > DRAWN_MAX && <p className="muted">{count(found.length - DRAWN_MAX)} more: filter by name</p>}
    </aside>
  );
}
