/** A job: tasks, runs as bars, inputs and outputs, versions, code. */

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Link } from "wouter";
import { childJobs, errorOf, job as fetchJob, type Job, jobRuns, type Run } from "../../api/queries";
import { lastLine } from "../../model/error-text";
import { count, plural } from "../../model/format";
import { Button, LinkButton, MainLink, Tabs, type TabTitles } from "../../parts/controls";
import { Edit } from "../../parts/edit";
import { Facets, JobLink, Loaded, NodeHead, Nothing, useAddress, useTitle } from "../../parts/frame";
import { type ColumnOf, durations, LongTable, states, times } from "../../parts/table";
import { jobId } from "../../url/ids";
import { link, mapLink } from "../../url/state";
import { About } from "./about";
import { Bars } from "./bars";
import { Code } from "./code";
import { Versions } from "./versions";

const TABS: TabTitles = [
  ["", "Runs"],
  ["versions", "Versions"],
  ["code", "Code"],
  ["facets", "Facets"],
];

export function JobView() {
  const { node, tab } = useAddress("node", "tab");
  const result = useQuery({ ...fetchJob(node), enabled: node !== "" });
  useTitle(result.data?.name ?? "Job");
  if (!node) return <Nothing title="No job is chosen">Find one with the box above.</Nothing>;
  return (
    <div className="page">
      <Loaded of={result}>
        {(job) => (
          <>
            <NodeHead id={node} name={job.name} where={job.namespace}>
              {job.description && <p>{job.description}</p>}
              <FailedTasks node={node} />
            </NodeHead>
            <div className="actions">
              <MainLink to={mapLink({ node })}>Map</MainLink>
              <LinkButton to={link("impact", { node })}>Impact</LinkButton>
              <LinkButton to={mapLink({ node, sel: node, why: true })}>Why?</LinkButton>
              <Edit id={node} namespace={job.namespace} />
            </div>
            <About job={job} />
            <Tasks node={node} />
            <Tabs view="job" node={node} tab={tab} of={TABS} />
            {tab === "" && <Runs node={node} />}
            {tab === "versions" && <Versions node={node} />}
            {tab === "code" && <Code facets={job.facets} />}
            {tab === "facets" && <Facets facets={job.facets} />}
          </>
        )}
      </Loaded>
    </div>
  );
}

const RUNS_MAX = 60;

function Runs({ node }: { node: string }) {
  const result = useQuery(jobRuns(node, RUNS_MAX));
  return (
    <Loaded of={result}>
      {({ runs, totalCount }) =>
        runs.length === 0 ? (
          <Nothing title="It never ran" />
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
    </Loaded>
  );
}

/** The columns of a table of runs, the newest first. */
const columnsOf = (runs: readonly Run[]): ColumnOf<Run>[] => [
  states(({ state }) => state),
  times("Started", (run) => run.startedAt ?? run.createdAt),
  durations("Took", ({ durationMs }) => durationMs),
  { name: "Run", look: "mono", cell: ({ id }) => <Link href={link("run", { id })}>{id}</Link> },
  { name: "Error", cell: ({ facets }) => lastLine(errorOf(facets) ?? "").slice(0, 160) },
  { name: "See", look: "fixed", cell: (run) => <Against run={run} before={runs.slice(runs.indexOf(run) + 1)} /> },
];

/** A comparison of a failed run with the last complete run, of another run with the run before. */
function Against({ run, before }: { run: Run; before: readonly Run[] }) {
  const isFailed = run.state === "FAILED" || run.state === "ABORTED";
  const other = isFailed ? before.find(({ state }) => state === "COMPLETED") : before[0];
  return other ? (
    <Link href={link("run", { id: run.id, vs: other.id })}>
      against the {isFailed ? "last good one" : "one before"}
    </Link>
  ) : null;
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
  const failed = failedOf(jobs, hasNextPage);
  return first && failed !== "0" ? (
    <p className="removed">
      ✕ {failed} of {plural(first.totalCount, "task")} failed
    </p>
  ) : null;
}

function Tasks({ node }: { node: string }) {
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

/** The number of failed tasks, in words; a page of failed tasks alone may have more behind it. */
function failedOf(jobs: readonly Job[], hasMore: boolean): string {
  const failed = jobs.filter((job) => job.latestRun?.state === "FAILED").length;
  return `${hasMore && failed === jobs.length ? "at least " : ""}${count(failed)}`;
}

const TASKS: ColumnOf<Job>[] = [
  { name: "Task", by: ({ name }) => name, cell: (job) => <JobLink job={job} /> },
  { ...states(({ latestRun }) => latestRun?.state), by: undefined },
  times("Started", ({ latestRun }) => latestRun?.startedAt),
  durations("Took", ({ latestRun }) => latestRun?.durationMs),
  { name: "Last runs", cell: ({ latestRuns }) => <Bars runs={latestRuns ?? []} small /> },
];
