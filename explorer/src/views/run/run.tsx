/** A run: what it read and made, its error, its facets; with a second one beside it. */

import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "wouter";
import { childRuns, linkedRuns, type Run } from "../../api/queries";
import { count, duration } from "../../model/format";
import { rankOf } from "../../model/states";
import { Counted } from "../../parts/controls";
import { Loaded, NodeLink, Nothing, useTitle, When } from "../../parts/frame";
import { StateOf } from "../../parts/signs";
import { type ColumnOf, LongTable } from "../../parts/table";
import { jobId } from "../../url/ids";
import { link, type Side } from "../../url/state";
import { useRun } from "./data";
import { Differences } from "./differences";
import { OneRun } from "./one-run";

export function RunView() {
  const query = new URLSearchParams(useSearch());
  const [id, vs] = [query.get("id") ?? "", query.get("vs") ?? ""];
  useTitle("Run");
  if (!id) return <Nothing title="No run is chosen" />;
  return (
    <div className="page" style={vs ? { maxWidth: 1500 } : undefined}>
      {vs ? (
        <>
          <div className="actions">
            <h1>Two runs side by side</h1>
            <Link className="button push" href={link("run", { id })}>
              Only the first
            </Link>
          </div>
          <BothRuns id={id} vs={vs} />
          <div className="columns2">
            <OneRun id={id} other={vs} />
            <OneRun id={vs} other={id} />
          </div>
        </>
      ) : (
        <>
          <OneRun id={id} />
          <StartedRuns id={id} />
          <div className="columns2 even">
            <LinkedRuns id={id} side="up" />
            <LinkedRuns id={id} side="down" />
          </div>
        </>
      )}
    </div>
  );
}

/** The differences of two runs, first of all. */
function BothRuns({ id, vs }: { id: string; vs: string }) {
  const [mine, other] = [useRun(id), useRun(vs)];
  return mine.data && other.data ? <Differences mine={mine.data} other={other.data} /> : null;
}

const LINKED = {
  up: { title: "The runs that made what it read", way: "upstream" as const },
  down: { title: "The runs that read what it made", way: "downstream" as const },
};

function LinkedRuns({ id, side }: { id: string; side: Side }) {
  const { title, way } = LINKED[side];
  const result = useQuery(linkedRuns(id, way));
  return (
    <section className="card">
      <h2>{title}</h2>
      <Loaded of={result} rows={3}>
        {({ runs, truncated }) => {
          const others = runs.filter(({ run }) => run.id !== id);
          return (
            <>
              {others.length === 0 && <p className="muted">None is known.</p>}
              <table className="table">
                <tbody>
                  {others.map(({ run, job }) => (
                    <tr key={`${job.name} ${run.id}`}>
                      <td className="fixed">
                        <StateOf state={run.status} />
                      </td>
                      <td>{job.name}</td>
                      <td className="mono">
                        <Link href={link("run", { id: run.id })} title={run.id}>
                          {run.id.slice(0, 13)}…
                        </Link>
                      </td>
                      <td className="fixed">
                        <When time={run.end ?? run.start} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
              {truncated && <p className="muted">There are more.</p>}
            </>
          );
        }}
      </Loaded>
    </section>
  );
}

const STARTED_MAX = 200;

function StartedRuns({ id }: { id: string }) {
  const { data } = useQuery(childRuns(id, STARTED_MAX));
  if (!data?.runs.length) return null;
  return (
    <section className="card" aria-label="started runs">
      <Counted title="Started" of={count(data.totalCount)} />
      <LongTable
        label="runs that it started"
        height="420px"
        columns={STARTED}
        rows={[...data.runs].sort((first, second) => rankOf(first.state) - rankOf(second.state))}
        keyOf={(run) => run.id}
      />
      {data.totalCount > data.runs.length && (
        <p className="muted">and {count(data.totalCount - data.runs.length)} more</p>
      )}
    </section>
  );
}

const STARTED: ColumnOf<Run>[] = [
  { name: "State", by: (run) => run.state, cell: (run) => <StateOf state={run.state} /> },
  {
    name: "Job",
    by: (run) => run.job.name,
    cell: (run) => (
      <NodeLink id={jobId(run.job)} name={run.job.name} where={run.job.namespace} href={link("run", { id: run.id })} />
    ),
  },
  { name: "Started", by: (run) => run.startedAt ?? "", cell: (run) => <When time={run.startedAt} /> },
  { name: "Took", number: true, by: (run) => run.durationMs ?? -1, cell: (run) => duration(run.durationMs) },
];
