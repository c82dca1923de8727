/** How much of what jobs do is reported: in all, by namespace, by producer, and job by job. */

import { useQuery } from "@tanstack/react-query";
import { Link, useLocation, useSearch } from "wouter";

import { type Coverage, coverage } from "../../api/report-queries";
import { count, plural } from "../../model/format";
import { Loaded, NodeLink, pageOf, useTitle, When } from "../../parts/frame";
import { type ColumnOf, LongTable } from "../../parts/table";
import { jobId } from "../../url/ids";
import { link } from "../../url/state";

type Counts = Pick<Coverage, "total" | Level | "outputs" | "certainOutputs" | "incompleteJobs">;
type Level = "columns" | "tables" | "nothing" | "parent" | "silent";
type Job = Coverage["jobs"][number];

const LEVELS: readonly [Level, string, string][] = [
  ["columns", "Columns", "report the columns of some output"],
  ["tables", "Tables only", "report datasets, and no columns"],
  ["nothing", "Nothing", "report no dataset"],
  ["parent", "Parents", "report no dataset themselves, and started others"],
  ["silent", "Silent", "sent no event for 30 days"],
];

export function CoverageView() {
  useTitle("Coverage");
  const query = new URLSearchParams(useSearch());
  const [namespace, level] = [query.get("namespace") ?? "", query.get("level") ?? ""];
  const [, navigate] = useLocation();
  const result = useQuery({ queryKey: ["coverage", namespace], queryFn: ({ signal }) => coverage(namespace, signal) });
  return (
    <div className="page">
      <h1>
        Coverage
        {namespace && (
          <>
            {" "}
            of <span className="mono">{namespace}</span>
          </>
        )}
      </h1>
      <Loaded of={result}>
        {(report) => (
          <>
            <p className="muted">
              {plural(report.total, "job")}
              {report.truncated && ", the first of more"}; they report the columns of{" "}
              {report.outputs ? `${share(report)} datasets that they write` : "no dataset"}.
              {report.incompleteJobs > 0 &&
                ` The lineage of ${plural(report.incompleteJobs, "job")} is incomplete: the producer could not read all of it.`}
              {namespace && (
                <>
                  {" "}
                  <Link href={link("coverage")}>All namespaces</Link>
                </>
              )}
            </p>
            <div className="actions" role="group" aria-label="what a job reports">
              {LEVELS.map(([name, title, meaning]) => (
                <button
                  key={name}
                  className="button"
                  title={`These ${meaning}`}
                  aria-pressed={level === name}
                  onClick={() =>
                    navigate(link("coverage", { namespace, level: level === name ? "" : name }), { replace: true })
                  }
                >
                  {title} {count(report[name])}
                </button>
              ))}
            </div>
            {!namespace && (
              <Table
                title="By namespace"
                name="Namespace"
                rows={report.namespaces}
                keyOf={(row) => row.namespace}
                cell={(row) => (
                  <Link className="mono" href={link("coverage", { namespace: row.namespace, level })}>
                    {row.namespace}
                  </Link>
                )}
              />
            )}
            <Table
              title="By producer"
              name="Producer"
              rows={report.producers}
              keyOf={(row) => row.producer ?? ""}
              cell={(row) => <span className="mono">{row.producer ?? "names none in its jobType"}</span>}
            />
            <section className="card">
              <h2>{LEVELS.find(([name]) => name === level)?.[1] ?? "Jobs"}</h2>
              <LongTable
                label="jobs"
                columns={JOBS}
                rows={report.jobs.filter(({ coverage: of }) => !level || of === level)}
                keyOf={jobId}
              />
            </section>
          </>
        )}
      </Loaded>
    </div>
  );
}

const share = ({ outputs, certainOutputs }: Counts) =>
  outputs ? `${count(certainOutputs)} of ${count(outputs)} (${Math.floor((100 * certainOutputs) / outputs)} %)` : "–";

function Table<T extends Counts>({
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
        {LEVELS.find(([name]) => name === job.coverage)?.[1]}
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
