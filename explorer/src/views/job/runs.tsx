/** The last runs of a job and of its tasks, as bars and as tables. */

import "./bars.css";

import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Link } from "wouter";
import { childJobs, type Job, jobRuns, type Run } from "../../api/queries";
import { errorOf, lastLine } from "../../model/facets";
import { count, duration, plural, utc } from "../../model/format";
import { Button } from "../../parts/controls";
import { Asked, EmptyState, JobLink } from "../../parts/frame";
import { type ColumnOf, durations, LongTable, states, times } from "../../parts/table";
import { jobId } from "../../url/ids";
import { link } from "../../url/state";

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

const SIGNS: Readonly<Record<string, string>> = { FAILED: "✕", ABORTED: "■", RUNNING: "▸" };

function Bars({ runs, small = false }: { runs: readonly Run[]; small?: boolean }) {
  const longest = Math.max(1, ...runs.map((run) => run.durationMs ?? 0));
  return (
    <div className={small ? "bars low" : "bars"} role="list" aria-label="runs, oldest first">
      {[...runs].reverse().map((run) => (
        <Link
          key={run.id}
          role="listitem"
          className={`state-${run.state}`}
          href={link("run", { id: run.id })}
          aria-label={`${run.state.toLowerCase()}, ${utc(run.startedAt)}, ${duration(run.durationMs)}`}
          title={`${run.state.toLowerCase()}\n${utc(run.startedAt)} UTC\n${duration(run.durationMs)}`}
        >
          <i
            data-sign={small ? undefined : SIGNS[run.state]}
            style={{ height: `${8 + 76 * ((run.durationMs ?? 0) / longest)}%` }}
          />
        </Link>
      ))}
    </div>
  );
}

// The API has the last runs of so many jobs of a page.
const PAGE = 100;

/** The loaded pages of tasks as a list, failed tasks first. */
function useTasks(node: string) {
  const { data, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery({
    queryKey: ["children", node],
    queryFn: ({ pageParam, signal }) => childJobs(node, PAGE, pageParam, signal),
    initialPageParam: 0,
    getNextPageParam: (last, pages) =>
      last.jobs.length && pages.length * PAGE < last.totalCount ? pages.length * PAGE : undefined,
  });
  const jobs = useMemo(() => data?.pages.flatMap((page) => page.jobs) ?? [], [data]);
  return { jobs, first: data?.pages[0], hasNextPage, isFetching, fetchNextPage };
}

/** "5 of 141 tasks failed", in the head of the page; nothing where none did. */
export function FailedTasks({ node }: { node: string }) {
  const { jobs, first, hasNextPage } = useTasks(node);
  const failed = jobs.filter((job) => job.latestRun?.state === "FAILED").length;
  // A page of failed tasks alone may have more behind it.
  const isLeast = hasNextPage && failed === jobs.length;
  return first && failed > 0 ? (
    <p className="removed">
      ✕ {isLeast && "at least "}
      {count(failed)} of {plural(first.totalCount, "task")} failed
    </p>
  ) : null;
}

export function Tasks({ node }: { node: string }) {
  const { jobs, first, hasNextPage, isFetching, fetchNextPage } = useTasks(node);
  if (!first || !jobs.length) return null;
  return (
    <section className="card" aria-label="tasks">
      <h2>Tasks</h2>
      <p className="muted">
        It started {first.truncated && "at least "}
        {plural(first.totalCount, "job")}.{hasNextPage && " "}
        {hasNextPage && (
          <Button disabled={isFetching} press={() => void fetchNextPage()}>
            {count(Math.min(PAGE, first.totalCount - jobs.length))} more
          </Button>
        )}
      </p>
      <LongTable label="list of tasks" columns={TASKS} rows={jobs} keyOf={jobId} height="420px" />
    </section>
  );
}

const TASKS: ColumnOf<Job>[] = [
  { name: "Task", by: ({ name }) => name, cell: (job) => <JobLink job={job} /> },
  { ...states(({ latestRun }) => latestRun?.state), by: undefined },
  times("Started", ({ latestRun }) => latestRun?.startedAt),
  durations("Took", ({ latestRun }) => latestRun?.durationMs),
  { name: "Last runs", cell: ({ latestRuns }) => <Bars runs={latestRuns ?? []} small /> },
];
