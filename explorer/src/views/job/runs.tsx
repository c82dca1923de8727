/** The last runs of a job, as bars and as a table. */

import { Link } from "wouter";

import { jobRuns, type Run } from "../../api/queries";
import { lastLine } from "../../model/error-text";
import { errorOf } from "../../model/facets";
import { count, plural } from "../../model/format";
import { Asked, EmptyState } from "../../parts/frame";
import { type ColumnOf, durations, LongTable, states, times } from "../../parts/table";
import { link } from "../../url/state";
import { Bars } from "./bars";

const RUNS_MAX = 60;

export const Runs = ({ node }: { node: string }) => (
  <Asked query={jobRuns(node, RUNS_MAX)}>
    {({ runs, totalCount }) =>
      runs.length === 0 ? (
        <EmptyState title="It never ran" />
      ) : (
        <section className="card">
          <p className="muted">
            {plural(totalCount, "run")}
            {totalCount > runs.length && `; the newest ${count(runs.length)} are here`}. A bar’s height is how long it
            took.
          </p>
          <Bars runs={runs} />
          <LongTable label="runs" columns={columnsOf(runs)} rows={runs} keyOf={({ id }) => id} height="none" />
        </section>
      )
    }
  </Asked>
);

/** The columns of a table of runs, the newest first. */
const columnsOf = (runs: readonly Run[]): ColumnOf<Run>[] => [
  states(({ state }) => state),
  times("Started", (run) => run.startedAt ?? run.createdAt),
  durations("Took", ({ durationMs }) => durationMs),
  { name: "Run", look: "mono", cell: ({ id }) => <Link href={link("run", { id })}>{id}</Link> },
  { name: "Error", cell: ({ facets }) => lastLine(errorOf(facets) ?? "").slice(0, 160) },
  { name: "See", look: "fixed", cell: (run) => <Against run={run} before={runs.slice(runs.indexOf(run) + 1)} /> },
];

/** A comparison of a run: of a failed one with the last that completed, of others with the one before. */
function Against({ run, before }: { run: Run; before: readonly Run[] }) {
  const isFailed = run.state === "FAILED" || run.state === "ABORTED";
  const other = isFailed ? before.find(({ state }) => state === "COMPLETED") : before[0];
  return other ? (
    <Link href={link("run", { id: run.id, vs: other.id })}>
      against the {isFailed ? "last good one" : "one before"}
    </Link>
  ) : null;
}
