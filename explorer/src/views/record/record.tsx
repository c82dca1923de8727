/** A record's path from its root, its descendants, and the folded tree of a root. */

import { useMemo } from "react";
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "wouter";

import { recordNode, rootRecords, rootTrace, searchRecords, type SearchRecord } from "../../api/queries";
import { count, plural, utc } from "../../model/format";
import { outlineOf, type Fold } from "../../model/outline";
import { Loaded, download, Failed, Nothing, useTitle, When } from "../../parts/frame";
import { SignOf } from "../../parts/signs";
import { Failure } from "../../api/client";
import { link } from "../../url/state";

const timeOf = (seconds: number) => new Date(seconds * 1000).toISOString();

export function RecordView() {
  const query = new URLSearchParams(useSearch());
  const [node, root] = [query.get("node") ?? "", query.get("root") ?? ""];
  useTitle(node || root ? `Record ${node || root}` : "Record");
  if (!node && !root) return <Nothing title="No record is chosen">Search for its node id, or for the place it was stored at.</Nothing>;
  return (
    <div className="page">
      <header className="head">
        <span className="kind-record"><SignOf of="record" /></span>
        <div><div className="kind-word">{node ? "Record" : "Root of records"}</div><h1 className="mono">{node || root}</h1></div>
      </header>
      {node && <RecordPath node={node} root={root} />}
      {root && <Root root={root} />}
    </div>
  );
}

type Step = Pick<SearchRecord, "root_id" | "node_id" | "parent_id" | "action_taken" | "recordedAt" | "storage_location" | "run_id" | "metadata">;

function RecordPath({ node, root }: { node: string; root: string }) {
  const live = useQuery({ queryKey: ["record", node], queryFn: ({ signal }) => recordNode(node, signal), retry: false });
  const isGone = live.error instanceof Failure && live.error.status === 404;
  if (isGone) return <Archived node={node} root={root} />;
  return (
    <Loaded of={live} rows={4}>
      {({ matches, truncated }) => (
        <>
          {matches.filter((match) => !root || match.record.root_id === root).map((match) => (
            <section className="card" key={`${match.record.root_id} ${match.record.node_id}`}>
              <h2>From its root <Link className="mono" href={link("record", { root: match.record.root_id })}>{match.record.root_id}</Link></h2>
              {match.complete === false && <p className="changed">~ This path does not lead to the root: {match.missing ? `missing ${match.missing.join(", ")}` : `a circle over ${match.cycle?.join(", ") ?? "its parents"}`}.</p>}
              <Path steps={match.path} here={node} />
              <h2>What came of it <span className="muted">{plural(match.descendants.length, "record")}{match.truncated && ", at least"}</span></h2>
              <Tree folds={outlineOf(match.descendants, node)} root={match.record.root_id} />
            </section>
          ))}
          {truncated && <p className="muted">It has records in more roots.</p>}
        </>
      )}
    </Loaded>
  );
}

/** A record that has left the table: what the archive knows of it. */
function Archived({ node, root }: { node: string; root: string }) {
  const result = useQuery({ queryKey: ["record-archived", node, root], queryFn: ({ signal }) => searchRecords(root ? { node } : { node }, undefined, signal) });
  return (
    <Loaded of={result} rows={4}>
      {({ records, cursor }) => (
        <section className="card">
          <p className="muted">It is no longer in the table; this is what the archive has.</p>
          {records.length === 0 && (cursor ? <button className="button" onClick={() => void result.refetch()}>The archive is still being searched: search again</button> : <p>Nothing of this id is known.</p>)}
          <Path steps={records} here={node} />
        </section>
      )}
    </Loaded>
  );
}

function Path({ steps, here }: { steps: readonly Step[]; here: string }) {
  return (
    <ol className="path">
      {steps.map((step) => (
        <li key={`${step.root_id} ${step.node_id}`} className={step.node_id === here ? "here" : ""} aria-current={step.node_id === here ? "step" : undefined}>
          <b>{step.action_taken}</b> <span className="muted"><When time={timeOf(step.recordedAt)} /></span>
          <dl className="facts">
            <dt>Node</dt><dd className="mono"><Link href={link("record", { node: step.node_id, root: step.root_id })}>{step.node_id}</Link></dd>
            <dt>Place</dt><dd className="mono">{step.storage_location}</dd>
            <dt>Time</dt><dd>{utc(timeOf(step.recordedAt))} UTC</dd>
            {step.run_id && <><dt>Run</dt><dd className="mono"><Link href={link("run", { id: step.run_id })}>{step.run_id}</Link></dd></>}
          </dl>
          {step.metadata && Object.keys(step.metadata).length > 0 && <details><summary>Metadata</summary><pre>{JSON.stringify(step.metadata, null, 2)}</pre></details>}
        </li>
      ))}
    </ol>
  );
}

function Root({ root }: { root: string }) {
  const result = useQuery({ queryKey: ["root", root], queryFn: ({ signal }) => rootRecords(root, undefined, signal) });
  return (
    <section className="card">
      <div className="actions">
        <h2>The whole tree, folded by what was done</h2>
        <button className="button" style={{ marginLeft: "auto" }} onClick={() => void rootTrace(root).then((text) => download(`trace-${root.replace(/[^\w.-]+/g, "_").slice(0, 60)}.jsonl`, "application/x-ndjson", text))}>Trace as JSON lines</button>
      </div>
      {result.error instanceof Failure && result.error.status === 404 ? <Failed error={result.error} retry={() => void result.refetch()} /> : (
        <Loaded of={result}>{({ records, cursor }) => <Outline records={records} root={root} more={cursor !== null} />}</Loaded>
      )}
    </section>
  );
}

function Outline({ records, root, more }: { records: readonly Step[]; root: string; more: boolean }) {
  const folds = useMemo(() => outlineOf(records, root), [records, root]);
  if (!records.length) return <p className="muted">No record of it is in the table any more; the trace has them, from the archive.</p>;
  return (
    <>
      <p className="muted">{plural(records.length, "live record")}{more && ", and more: the trace has all of them"}</p>
      <Tree folds={folds} root={root} />
    </>
  );
}

function Tree({ folds, root }: { folds: readonly Fold[]; root: string }) {
  return (
    <ul className="tree">
      {folds.map((fold) => (
        <li key={fold.action}>
          <span className="kind-record"><SignOf of="record" /></span> <b>{fold.action}</b> {fold.count > 1 && <span className="chip">× {count(fold.count)}</span>} <span className="muted small">{utc(timeOf(fold.first)).slice(11)}{fold.last !== fold.first && ` – ${utc(timeOf(fold.last)).slice(11)}`}</span>
          <div className="small">
            {fold.examples.map((step) => <span key={step.node_id}><Link className="mono" href={link("record", { node: step.node_id, root })}>{step.node_id}</Link> </span>)}
            {fold.count > fold.examples.length && <span className="muted">and {count(fold.count - fold.examples.length)} more</span>}
          </div>
          {fold.children.length > 0 && <Tree folds={fold.children} root={root} />}
        </li>
      ))}
    </ul>
  );
}
