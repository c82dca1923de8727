/** A tree of records, folded by action, and the path of one. */

import "./record.css";

import { Link } from "wouter";
import type { SearchRecord } from "../../api/record-queries";
import { count, utc } from "../../model/format";
import type { Fold, Step } from "../../model/outline";
import { Fact, MonoLink } from "../../parts/controls";
import { When } from "../../parts/frame";
import { useReader } from "../../parts/reader";
import { Tinted } from "../../parts/signs";
import { type ColumnOf, times } from "../../parts/table";
import { link } from "../../url/state";

const timeOf = (seconds: number) => new Date(seconds * 1000).toISOString();

/** Columns of tables of records. */
export const RECORD_NODE: ColumnOf<SearchRecord> = {
  name: "Node",
  by: ({ node_id }) => node_id,
  cell: ({ node_id: node, root_id: root }) => <MonoLink to={link("record", { node, root })}>{node}</MonoLink>,
};
export const RECORDED = times<SearchRecord>("Recorded", ({ recordedAt }) => timeOf(recordedAt));

export function Tree({ folds, root }: { folds: readonly Fold[]; root: string }) {
  return (
    <ul className="tree">
      {folds.map((fold) => (
        <li key={fold.key}>
          <FoldRow fold={fold} root={root} />
          {fold.children.length > 0 && <Tree folds={fold.children} root={root} />}
        </li>
      ))}
    </ul>
  );
}

function FoldRow({ fold, root }: { fold: Fold; root: string }) {
  return (
    <div className="fold">
      <div className="fold-head">
        <Tinted look="kind-record" of="record" />
        <b>{fold.action_taken}</b>
        <span className="chip">× {count(fold.records)}</span>
        {fold.leaves > 0 && fold.leaves < fold.records && (
          <span className="muted small">{count(fold.leaves)} of them end here</span>
        )}
        {!fold.complete && <span className="changed small">~ not linked to the root</span>}
        <span className="muted small end">{span(fold.firstRecordedAt, fold.lastRecordedAt)}</span>
      </div>
      <ul className="examples">
        {fold.examples.map((step) => (
          <li key={step.node_id}>
            <MonoLink to={link("record", { node: step.node_id, root })} title={step.storage_location}>
              {step.node_id}
            </MonoLink>
          </li>
        ))}
        {fold.records > fold.examples.length && (
          <li className="small">
            <Link href={link("record", { root, action: fold.action_taken })}>
              and {count(fold.records - fold.examples.length)} more
            </Link>
          </li>
        )}
      </ul>
    </div>
  );
}

/** "2025-11-20 12:00:00 – 12:04:10": the second day only where it is another. */
function span(first: number, last: number): string {
  const [from, to] = [utc(timeOf(first)), utc(timeOf(last))];
  if (from === to) return from;
  return `${from} – ${to.slice(0, 10) === from.slice(0, 10) ? to.slice(11) : to}`;
}

export function Path({ steps, here }: { steps: readonly Step[]; here: string }) {
  const { can } = useReader();
  return (
    <ol className="path">
      {steps.map((step) => (
        <li
          key={`${step.root_id} ${step.node_id}`}
          className={step.node_id === here ? "here" : ""}
          aria-current={step.node_id === here ? "step" : undefined}
        >
          <div className="path-head">
            <b>{step.action_taken}</b> {step.node_id === here && <span className="chip">this record</span>}{" "}
            <span className="muted small">
              <When time={timeOf(step.recordedAt)} />
            </span>
          </div>
          <dl className="facts">
            <Fact of="Node" isMono>
              <Link href={link("record", { node: step.node_id, root: step.root_id })}>{step.node_id}</Link>
            </Fact>
            <Fact of="Place" isMono is={step.storage_location} />
            <Fact of="Time" is={`${utc(timeOf(step.recordedAt))} UTC`} />
            {step.run_id && can("getRun") && (
              <Fact of="Run" isMono is={<Link href={link("run", { id: step.run_id })}>{step.run_id}</Link>} />
            )}
          </dl>
          {step.metadata && Object.keys(step.metadata).length > 0 && (
            <details>
              <summary>Metadata</summary>
              <pre>{JSON.stringify(step.metadata, null, 2)}</pre>
            </details>
          )}
        </li>
      ))}
    </ol>
  );
}
