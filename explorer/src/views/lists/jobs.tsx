/** All jobs: the last updated first, with state, owner and age. */

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";

import { durationsQuery, listJobs, type ShortJob } from "../../api/list-queries";
import { duration } from "../../model/format";
import { Choices } from "../../parts/controls";
import { NodeLink, pageOf, useTitle, When } from "../../parts/frame";
import { useReader } from "../../parts/me";
import { NamespaceChoice } from "../../parts/namespace-choice";
import { StateOf } from "../../parts/signs";
import type { ColumnOf } from "../../parts/table";
import { jobId } from "../../url/ids";
import { muted, owned } from "./cells";
import { Untouched } from "./choices";
import { dayBefore, useFilters } from "./filters";
import { Listed } from "./listed";
import { nextOffset, PAGE } from "./pages";

const STATES: readonly [string, string][] = [
  ["", "All"],
  ["FAILED", "Failed"],
  ["ABORTED", "Aborted"],
  ["RUNNING", "Running"],
  ["COMPLETED", "Completed"],
];

const JOBS: ColumnOf<ShortJob>[] = [
  {
    name: "Job",
    by: (job) => job.name,
    cell: (job) => <NodeLink id={jobId(job)} name={job.name} where={job.namespace} href={pageOf(jobId(job))} />,
  },
  {
    name: "State",
    by: (job) => job.latestRun?.state ?? "",
    cell: (job) => <StateOf state={job.latestRun?.state ?? null} />,
  },
  { name: "Updated", by: (job) => job.updatedAt, cell: (job) => <When time={job.updatedAt} /> },
  {
    name: "Took",
    number: true,
    by: (job) => job.latestRun?.durationMs ?? -1,
    cell: (job) => duration(job.latestRun?.durationMs ?? null),
  },
  { name: "Owner", by: (job) => owned(job.owners), cell: (job) => owned(job.owners) || muted },
  { name: "Part of", by: (job) => job.parentJobName ?? "", cell: (job) => job.parentJobName ?? muted },
];

type Durations = Awaited<ReturnType<ReturnType<typeof durationsQuery>["queryFn"]>>;

/** The columns of a job with its usual duration and the growth of the last. */
function withUsual(durations: Durations): ColumnOf<ShortJob>[] {
  const of = (job: ShortJob) => durations.get(jobId(job));
  const percent = (growth: number) => `${growth < 0 ? "−" : "+"}${Math.abs(Math.round(growth * 100))} %`;
  const usual: ColumnOf<ShortJob>[] = [
    {
      name: "Usually",
      number: true,
      by: (job) => of(job)?.usualMs ?? -1,
      cell: (job) => duration(of(job)?.usualMs ?? null),
    },
    {
      name: "Against usual",
      number: true,
      by: (job) => of(job)?.againstUsual ?? -1,
      cell: (job) => (of(job) ? percent(of(job)!.againstUsual) : muted),
    },
  ];
  return JOBS.flatMap((column) => (column.name === "Took" ? [column, ...usual] : [column]));
}

/** The switch that adds usual durations, and the columns and the order of the list. */
function useUsual(namespace: string) {
  const [isOn, setOn] = useState(false);
  const { can } = useReader();
  const { data } = useQuery({ ...durationsQuery(namespace), enabled: isOn });
  const columns = useMemo(() => (isOn && data ? withUsual(data) : JOBS), [isOn, data]);
  const title = "the last run of each job against the middle of its last ten, the slowest first";
  const button = can("reportDurations") && (
    <button className="button" title={title} aria-pressed={isOn} onClick={() => setOn(!isOn)}>
      Against usual
    </button>
  );
  const first = (job: ShortJob) => data?.get(jobId(job))?.againstUsual ?? -1;
  return { button, columns, ...(isOn && data && { first }) };
}

export function JobsView() {
  useTitle("Jobs");
  const { filters, change } = useFilters("jobs");
  const { namespace, state } = filters;
  const updatedBefore = dayBefore(filters.days);
  const result = useInfiniteQuery({
    queryKey: ["jobs", namespace, state, updatedBefore],
    queryFn: ({ pageParam, signal }) =>
      listJobs({ namespace, state, updatedBefore, limit: PAGE, offset: pageParam }, signal),
    initialPageParam: 0,
    getNextPageParam: nextOffset,
  });
  const { button, ...ordered } = useUsual(namespace);
  return (
    <div className="page">
      <h1>Jobs</h1>
      <div className="actions">
        <NamespaceChoice
          value={namespace}
          none="all namespaces"
          choose={(chosen) => change({ namespace: chosen, folder: "" })}
        />
        <Choices
          label="state of the last run"
          among={STATES}
          value={state}
          choose={(value) => change({ state: value })}
        />
        <Untouched days={filters.days} change={change} />
        {button}
      </div>
      <Listed
        of={result}
        {...ordered}
        word="job"
        keyOf={jobId}
        filters={filters}
        change={change}
        textOf={(job) => `${job.name} ${job.namespace} ${owned(job.owners)} ${job.parentJobName ?? ""}`}
        header={["namespace", "name", "state", "updated", "durationMs", "owners", "tags", "partOf"]}
        cellsOf={(job) => [
          job.namespace,
          job.name,
          job.latestRun?.state,
          job.updatedAt,
          job.latestRun?.durationMs,
          owned(job.owners),
          job.tags.join(", "),
          job.parentJobName,
        ]}
      />
    </div>
  );
}
