/** Tables of the coverage: the counts of each namespace and producer, and the jobs. */

import { count } from "../../model/format";
import { MonoLink } from "../../parts/controls";
import { NodeLink, pageOf, When } from "../../parts/frame";
import { type ColumnOf, LongTable } from "../../parts/table";
import { jobId } from "../../url/ids";
import { link } from "../../url/state";
import { type Counts, LEVELS, share, titleOfLevel } from "./levels";
import type { Coverage } from "./queries";

type Job = Coverage["jobs"][number];

export function Namespaces({ report, level }: { report: Coverage; level: string }) {
  return (
    <CountsTable
      title="By namespace"
      name="Namespace"
      rows={report.namespaces}
      keyOf={(row) => row.namespace}
      cell={(row) => <MonoLink to={link("coverage", { namespace: row.namespace, level })}>{row.namespace}</MonoLink>}
    />
  );
}

export function Producers({ report }: { report: Coverage }) {
  return (
    <CountsTable
      title="By producer"
      name="Producer"
      rows={report.producers}
      keyOf={(row) => row.producer ?? ""}
      cell={(row) => <span className="mono">{row.producer ?? "names none in its jobType"}</span>}
    />
  );
}

/** The jobs of a level; without one, all. */
export function Jobs({ report, level }: { report: Coverage; level: string }) {
  return (
    <section className="card">
      <h2>{titleOfLevel(level) ?? "Jobs"}</h2>
      <LongTable
        label="jobs"
        columns={JOBS}
        rows={report.jobs.filter(({ coverage }) => !level || coverage === level)}
        keyOf={jobId}
      />
    </section>
  );
}

const JOBS: ColumnOf<Job>[] = [
  {
    name: "Job",
    by: (job) => job.name,
    cell: (job) => <NodeLink id={jobId(job)} name={job.name} where={job.namespace} href={pageOf(jobId(job))} />,
  },
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
    cell: (job) =>
      job.outputs ? `${count(job.certainOutputs)} of ${count(job.outputs)}` : <span className="muted">–</span>,
  },
  { name: "Updated", by: (job) => job.updatedAt ?? "", cell: (job) => <When time={job.updatedAt} /> },
];

function CountsTable<T extends Counts>({
  title,
  name,
  rows,
  keyOf,
  cell,
}: {
  title: string;
  name: string;
  rows: readonly T[];
  keyOf: (row: T) => string;
  cell: (row: T) => React.ReactNode;
}) {
  const columns: ColumnOf<T>[] = [
    { name, by: keyOf, cell },
    { name: "Jobs", number: true, by: (row) => row.total, cell: (row) => count(row.total) },
    ...LEVELS.map(([level, word]) => ({
      name: word,
      number: true,
      by: (row: T) => row[level],
      cell: (row: T) => count(row[level]),
    })),
    { name: "Incomplete", number: true, by: (row) => row.incompleteJobs, cell: (row) => count(row.incompleteJobs) },
    { name: "Outputs with columns", by: (row) => (row.outputs ? row.certainOutputs / row.outputs : -1), cell: share },
  ];
  return (
    <section className="card">
      <h2>{title}</h2>
      <LongTable label={title} columns={columns} rows={rows} keyOf={keyOf} height="360px" />
    </section>
  );
}
