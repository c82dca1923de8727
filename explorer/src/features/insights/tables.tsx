/** Tables of the coverage: the counts of each namespace and producer, and the jobs. */

import { count } from "../../model/format";
import { MonoLink } from "../../parts/controls";
import { type ColumnOf, NONE, nodes, TableCard, times } from "../../parts/table";
import { jobId } from "../../url/ids";
import { link } from "../../url/state";
import type { Coverage } from "./queries";

type Job = Coverage["jobs"][number];

interface Props {
  report: Coverage;
  level: string;
}

export const Namespaces = ({ report, level }: Props) =>
  countsTable("By namespace", report.namespaces, {
    name: "Namespace",
    by: (row) => row.namespace,
    cell: ({ namespace }) => <MonoLink to={link("coverage", { namespace, level })}>{namespace}</MonoLink>,
  });

export const Producers = ({ report }: Pick<Props, "report">) =>
  countsTable("By producer", report.producers, {
    name: "Producer",
    look: "mono",
    by: (row) => row.producer ?? "names none in its jobType",
  });

/** The jobs of a level; without one, all. */
export function Jobs({ report, level }: Props) {
  return (
    <TableCard
      title={titleOfLevel(level) ?? "Jobs"}
      label="jobs"
      columns={JOBS}
      rows={report.jobs.filter(({ coverage }) => !level || coverage === level)}
      keyOf={jobId}
    />
  );
}

const JOBS: ColumnOf<Job>[] = [
  nodes("Job", jobId),
  {
    name: "Reports",
    by: (job) => job.coverage,
    cell: (job) => (
      <>
        {titleOfLevel(job.coverage)}
        {job.incomplete && <span className="stale"> incomplete</span>}
      </>
    ),
  },
  {
    name: "Outputs with columns",
    number: true,
    by: (job) => job.certainOutputs,
    cell: (job) => (job.outputs ? `${count(job.certainOutputs)} of ${count(job.outputs)}` : NONE),
  },
  times("Updated", (job) => job.updatedAt),
];

function countsTable<T extends Counts>(title: string, rows: readonly T[], first: ColumnOf<T>) {
  const columns: ColumnOf<T>[] = [
    first,
    { name: "Jobs", number: true, by: (row) => row.total },
    ...LEVELS.map(([level, name]) => ({ name, number: true, by: (row: T) => row[level] })),
    { name: "Incomplete", number: true, by: (row) => row.incompleteJobs },
    { name: "Outputs with columns", by: (row) => (row.outputs ? row.certainOutputs / row.outputs : -1), cell: share },
  ];
  return <TableCard title={title} label={title} columns={columns} rows={rows} height="360px" />;
}

export type Level = "columns" | "tables" | "nothing" | "parent" | "silent";

export const LEVELS: readonly [Level, string, string][] = [
  ["columns", "Columns", "report the columns of some output"],
  ["tables", "Tables only", "report datasets, and no columns"],
  ["nothing", "Nothing", "report no dataset"],
  ["parent", "Parents", "report no dataset themselves, and started others"],
  ["silent", "Silent", "sent no event for 30 days"],
];

/** Return the title of a level; none of another word. */
export const titleOfLevel = (level: string) => LEVELS.find(([name]) => name === level)?.[1];

/** Numbers of jobs and of what they write: of all, of a namespace or of a producer. */
export type Counts = Pick<Coverage, "total" | Level | "outputs" | "certainOutputs" | "incompleteJobs">;

/** Return how many of the outputs have columns, with a word for what these are. */
export function share({ outputs, certainOutputs }: Counts, word = ""): string {
  if (!outputs) return "–";
  return `${count(certainOutputs)} of ${count(outputs)}${word} (${Math.floor((100 * certainOutputs) / outputs)} %)`;
}
