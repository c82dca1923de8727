/** All jobs and all datasets, or of a namespace: the last updated first. */

import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { Link } from "wouter";
import { durationsQuery, type ShortDataset, type ShortJob } from "../../api/list-queries";
import { Button, Choices } from "../../parts/controls";
import { type Marks, useOldData, Written } from "../../parts/facts";
import { mapOf } from "../../parts/frame";
import { useReader } from "../../parts/reader";
import { type ColumnOf, durations, NONE, nodes, states, times } from "../../parts/table";
import { datasetId, jobId } from "../../url/ids";
import { ListView, OWNER, owned, TAGS, useFilters } from "./listed";

const STATES: readonly [string, string][] = [
  ["", "All"],
  ["FAILED", "Failed"],
  ["ABORTED", "Aborted"],
  ["RUNNING", "Running"],
  ["COMPLETED", "Completed"],
];

const TOOK = durations<ShortJob>("Took", (job) => job.latestRun?.durationMs);
const JOBS: ColumnOf<ShortJob>[] = [
  nodes("Job", jobId),
  states((job) => job.latestRun?.state),
  times("Updated", (job) => job.updatedAt),
  TOOK,
  OWNER,
  { name: "Part of", by: (job) => job.parentJobName ?? "" },
];

type Durations = Awaited<ReturnType<ReturnType<typeof durationsQuery>["queryFn"]>>;

/** The columns of a job with its usual duration and the growth of the last. */
function withUsual(usual: Durations): ColumnOf<ShortJob>[] {
  const growthOf = (job: ShortJob) => usual.get(jobId(job))?.againstUsual;
  const percent = (growth: number) => `${growth < 0 ? "−" : "+"}${Math.abs(Math.round(growth * 100))} %`;
  const against: ColumnOf<ShortJob> = {
    name: "Against usual",
    number: true,
    by: (job) => growthOf(job) ?? -1,
    cell: (job) => (growthOf(job) === undefined ? NONE : percent(growthOf(job)!)),
  };
  return JOBS.flatMap((column) =>
    column === TOOK ? [column, durations("Usually", (job) => usual.get(jobId(job))?.usualMs), against] : [column],
  );
}

/** The switch that adds usual durations, and the columns and the order of the list. */
function useUsual(namespace: string) {
  const [isOn, setOn] = useState(false);
  const { can } = useReader();
  const { data } = useQuery({ ...durationsQuery(namespace), enabled: isOn });
  const columns = useMemo(() => (isOn && data ? withUsual(data) : JOBS), [isOn, data]);
  const title = "the last run of each job against the middle of its last ten, the slowest first";
  const button = can("reportDurations") && (
    <Button title={title} on={isOn} press={() => setOn(!isOn)}>
      Against usual
    </Button>
  );
  const first = (job: ShortJob) => data?.get(jobId(job))?.againstUsual ?? -1;
  return { button, columns, ...(isOn && data && { first }) };
}

export function JobsView() {
  const { filters, change } = useFilters("jobs");
  const { button, ...ordered } = useUsual(filters.namespace);
  return (
    <ListView<ShortJob>
      of="jobs"
      {...ordered}
      keyOf={jobId}
      header={["namespace", "name", "state", "updated", "durationMs", "owners", "tags", "partOf"]}
      cellsOf={(job) => [
        job.namespace,
        job.name,
        job.latestRun?.state,
        job.updatedAt,
        job.latestRun?.durationMs,
        owned(job),
        job.tags.join(", "),
        job.parentJobName,
      ]}
    >
      <Choices
        label="state of the last run"
        among={STATES}
        value={filters.state}
        choose={(state) => change({ state })}
      />
      {button}
    </ListView>
  );
}

const columnsOf = (marks: Marks): ColumnOf<ShortDataset>[] => [
  nodes("Dataset", datasetId),
  {
    name: "State",
    by: stateOf,
    cell: (dataset) => {
      const state = stateOf(dataset);
      return state ? <span className={state === "dropped" ? "removed" : "stale"}>{state}</span> : NONE;
    },
  },
  {
    name: "Written",
    by: (dataset) => dataset.writtenAt ?? "",
    cell: (dataset) => <Written time={dataset.writtenAt ?? null} freshness={marks?.get(datasetId(dataset))} />,
  },
  times("Last read", (dataset) => dataset.lastReadAt),
  { name: "Columns", number: true, by: (dataset) => dataset.fieldCount },
  OWNER,
  TAGS,
  { name: "See", cell: (dataset) => <Link href={mapOf(datasetId(dataset))}>map</Link> },
];

function stateOf(dataset: ShortDataset): string {
  return dataset.lastLifecycleState === "DROP" ? "dropped" : dataset.stale ? "stale" : "";
}

export function DatasetsView() {
  const marks = useOldData();
  const columns = useMemo(() => columnsOf(marks), [marks]);
  return (
    <ListView<ShortDataset>
      of="datasets"
      columns={columns}
      keyOf={datasetId}
      header={["namespace", "name", "state", "written", "lastRead", "columns", "owners", "tags"]}
      cellsOf={(dataset) => [
        dataset.namespace,
        dataset.name,
        stateOf(dataset),
        dataset.writtenAt,
        dataset.lastReadAt,
        dataset.fieldCount,
        owned(dataset),
        dataset.tags.join(", "),
      ]}
    />
  );
}
