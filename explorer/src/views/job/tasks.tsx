/** The jobs that a job started: the tasks of a DAG, with their last runs. */

import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { childJobs, type Job } from "../../api/queries";
import { count, plural } from "../../model/format";
import { Button } from "../../parts/controls";
import { JobLink } from "../../parts/frame";
import { type ColumnOf, durations, LongTable, states, times } from "../../parts/table";
import { jobId } from "../../url/ids";
import { Bars } from "./bars";

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
