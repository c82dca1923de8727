/** Uses of a column: which jobs read, wrote or filtered by it, and their newest runs. */

import { Link } from "wouter";

import type { Usage } from "../../api/report-queries";
import { count } from "../../model/format";
import { Heads } from "../../parts/controls";
import { JobLink, When } from "../../parts/frame";
import { StateOf } from "../../parts/signs";
import { link } from "../../url/state";

const FIELDS_MAX = 6,
  RUNS_MAX = 3;

type Use = Usage["uses"][number];

export function Uses({ report }: { report: Usage }) {
  return (
    <section className="card">
      <h2>
        Uses <span className="muted">{count(report.uses.length)}</span>
      </h2>
      {report.uses.length === 0 && <p className="muted">No run used it in this time.</p>}
      {report.uses.length > 0 && (
        <div className="scroll" tabIndex={0} role="region" aria-label="uses">
          <table className="table">
            <Heads names={["Use", "Job", "Fields", "Runs", "Last", "Newest runs"]} numbers={["Runs"]} />
            <tbody>
              {report.uses.map((use, index) => (
                <UseRow key={index} use={use} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function UseRow({ use }: { use: Use }) {
  return (
    <tr>
      <td className="fixed">
        <b>{use.kind.toLowerCase()}</b>
        {!use.known && <div className="small muted">columns not reported</div>}
      </td>
      <td>{use.job ? <JobLink job={use.job} /> : <span className="muted">not yours to see</span>}</td>
      <td className="mono small">
        <Fields of={use.fields} />
      </td>
      <td className="number">{count(use.count)}</td>
      <td className="fixed">
        <When time={use.last} />
      </td>
      <td className="fixed">
        {use.runs.slice(0, RUNS_MAX).map((run) => (
          <div key={run.id}>
            <StateOf state={run.state}>{""}</StateOf>{" "}
            <Link className="mono" href={link("run", { id: run.id })}>
              {run.id.slice(0, 13)}…
            </Link>
          </div>
        ))}
      </td>
    </tr>
  );
}

function Fields({ of }: { of: Use["fields"] }) {
  return (
    <>
      {of
        .slice(0, FIELDS_MAX)
        .map(({ dataset, field }) => `${dataset.name}${field === null ? " (columns not reported)" : `.${field}`}`)
        .join(", ")}
      {of.length > FIELDS_MAX && ` and ${of.length - FIELDS_MAX} more`}
    </>
  );
}
