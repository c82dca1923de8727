/** A run: what it read and made, its error, its facets; with a second one beside it. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { ResponseOf } from "../../api/client";
import { childRuns, linkedRuns, type Run } from "../../api/queries";
import { count } from "../../model/format";
import { rankOf } from "../../model/graph";
import { Counted, MonoLink } from "../../parts/controls";
import { Asked, EmptyState, NodeLink, useAddress, useTitle } from "../../parts/frame";
import { type ColumnOf, durations, LongTable, states, times } from "../../parts/table";
import { jobId } from "../../url/ids";
import { link, type Side } from "../../url/state";
import { Differences } from "./differences";
import { OneRun, useRun } from "./one-run";

export function RunView() {
  const { id, vs } = useAddress("id", "vs");
  useTitle("Run");
  if (!id) return <EmptyState title="No run is chosen" />;
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
  return (
    <section className="card">
      <h2>{title}</h2>
      <Asked query={linkedRuns(id, way)} rows={3}>
        {({ runs, truncated }) => {
          const others = runs.filter(({ run }) => run.id !== id);
          return (
            <>
              {others.length === 0 && <p className="muted">None is known.</p>}
              {others.length > 0 && <LongTable label={title} height="420px" columns={LINKS} rows={others} />}
              {truncated && <p className="muted">There are more.</p>}
            </>
          );
        }}
      </Asked>
    </section>
  );
}

const LINKS: ColumnOf<ResponseOf<"/api/v1/runlineage/upstream">["runs"][number]>[] = [
  states(({ run }) => run.status),
  { name: "Job", by: ({ job }) => job.name },
  {
    name: "Run",
    cell: ({ run: { id } }) => (
      <MonoLink to={link("run", { id })} title={id}>
        {id.slice(0, 13)}…
      </MonoLink>
    ),
  },
  times("Ended", ({ run }) => run.end ?? run.start),
];

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
  states((run) => run.state),
  {
    name: "Job",
    by: (run) => run.job.name,
    cell: (run) => (
      <NodeLink id={jobId(run.job)} name={run.job.name} where={run.job.namespace} href={link("run", { id: run.id })} />
    ),
  },
  times("Started", (run) => run.startedAt),
  durations("Took", (run) => run.durationMs),
];
