/** How much of what jobs do is reported: in all, by namespace, by producer, and job by job. */

import { useLocation } from "wouter";
import { count, plural } from "../../model/format";
import { Button, MonoLink } from "../../parts/controls";
import { AllNamespaces, Asked, TitleOf, useAddress, useTitle } from "../../parts/frame";
import { type ColumnOf, NONE, nodes, TableCard, times } from "../../parts/table";
import { jobId } from "../../url/ids";
import { link } from "../../url/state";
import { type Coverage, coverage } from "./queries";

export function CoverageView() {
  useTitle("Coverage");
  const { namespace, level } = useAddress("namespace", "level");
  return (
    <div className="page">
      <TitleOf title="Coverage" namespace={namespace} />
      <Asked query={coverage(namespace)}>
        {(report) => (
          <>
            <p className="muted">
              {plural(report.total, "job")}
              {report.truncated && ", the first of more"}; they report the columns of{" "}
              {report.outputs ? share(report, " datasets that they write") : "no dataset"}.
              {report.incompleteJobs > 0 &&
                ` The lineage of ${plural(report.incompleteJobs, "job")} is incomplete: the producer could not read all of it.`}
              <AllNamespaces view="coverage" namespace={namespace} />
            </p>
            <LevelChoice report={report} namespace={namespace} level={level} />
            {!namespace && countsTable("By namespace", report.namespaces, namespaceOf(level))}
            {countsTable("By producer", report.producers, PRODUCER)}
            <TableCard
              title={titleOfLevel(level) ?? "Jobs"}
              label="jobs"
              columns={JOBS}
              rows={report.jobs.filter(({ coverage }) => !level || coverage === level)}
              keyOf={jobId}
            />
          </>
        )}
      </Asked>
    </div>
  );
}

/** Buttons that keep the jobs of a level; the same button again lets all return. */
function LevelChoice({ report, namespace, level }: { report: Coverage; namespace: string; level: string }) {
  const [, navigate] = useLocation();
  return (
    <div className="actions" role="group" aria-label="what a job reports">
      {LEVELS.map(([name, title, meaning]) => (
        <Button
          key={name}
          title={`These ${meaning}`}
          on={level === name}
          press={() => navigate(link("coverage", { namespace, level: level === name ? "" : name }), { replace: true })}
        >
          {title} {count(report[name])}
        </Button>
      ))}
    </div>
  );
}

type Job = Coverage["jobs"][number];

const namespaceOf = (level: string): ColumnOf<Coverage["namespaces"][number]> => ({
  name: "Namespace",
  by: (row) => row.namespace,
  cell: ({ namespace }) => <MonoLink to={link("coverage", { namespace, level })}>{namespace}</MonoLink>,
});

const PRODUCER: ColumnOf<Coverage["producers"][number]> = {
  name: "Producer",
  look: "mono",
  by: (row) => row.producer ?? "names none in its jobType",
};

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

type Level = "columns" | "tables" | "nothing" | "parent" | "silent";

const LEVELS: readonly [Level, string, string][] = [
  ["columns", "Columns", "report the columns of some output"],
  ["tables", "Tables only", "report datasets, and no columns"],
  ["nothing", "Nothing", "report no dataset"],
  ["parent", "Parents", "report no dataset themselves, and started others"],
  ["silent", "Silent", "sent no event for 30 days"],
];

/** Return the title of a level; none of another word. */
const titleOfLevel = (level: string) => LEVELS.find(([name]) => name === level)?.[1];

/** Numbers of jobs and of what they write: of all, of a namespace or of a producer. */
type Counts = Pick<Coverage, "total" | Level | "outputs" | "certainOutputs" | "incompleteJobs">;

/** Return how many of the outputs have columns, with a word for what these are. */
function share({ outputs, certainOutputs }: Counts, word = ""): string {
  if (!outputs) return "–";
  return `${count(certainOutputs)} of ${count(outputs)}${word} (${Math.floor((100 * certainOutputs) / outputs)} %)`;
}
