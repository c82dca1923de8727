/** The runs that a run started, those that need somebody first. */

import { useQuery } from "@tanstack/react-query";

import { childRuns, type Run } from "../../api/queries";
import { count, duration } from "../../model/format";
import { rankOf } from "../../model/states";
import { Counted } from "../../parts/controls";
import { NodeLink, When } from "../../parts/frame";
import { StateOf } from "../../parts/signs";
import { type ColumnOf, LongTable } from "../../parts/table";
import { jobId } from "../../url/ids";
import { link } from "../../url/state";

const STARTED_MAX = 200;

export function StartedRuns({ id }: { id: string }) {
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
