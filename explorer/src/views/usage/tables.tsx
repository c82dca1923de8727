/** Tables of usage: uses, flows, true sources and tagged columns. */

import { Link } from "wouter";

import type { Provenance, TagUsage, Usage } from "../../api/report-queries";
import { count, plural } from "../../model/format";
import { MonoLink } from "../../parts/controls";
import { JobLink, NodeLink } from "../../parts/frame";
import { Masked, StateOf } from "../../parts/signs";
import { type ColumnOf, TableCard, times } from "../../parts/table";
import { datasetId, fieldId } from "../../url/ids";
import { link } from "../../url/state";

type Column = Usage["column"];

const COLUMN = {
  name: "Column",
  by: ({ column }: { column: Column }) => column.dataset.name,
  cell: ({ column: { dataset, field } }: { column: Column }) => (
    <NodeLink
      id={field === null ? datasetId(dataset) : fieldId(dataset, field)}
      name={nameOf({ dataset, field })}
      where={dataset.namespace}
    />
  ),
};

const nameOf = ({ dataset, field }: Column) =>
  `${dataset.name}${field === null ? " (columns not reported)" : `.${field}`}`;

const HOPS = { name: "Hops", number: true, by: ({ hops }: { hops: number }) => hops };

/** The way of a value to a column. */
function How({ of: { masked, direct } }: { of: { masked: boolean; direct: boolean } }) {
  return masked ? <Masked /> : direct ? "direct" : <span className="muted">indirect</span>;
}

type Flow = Usage["flows"][number];

const FLOWS: ColumnOf<Flow>[] = [
  HOPS,
  COLUMN,
  {
    name: "How",
    look: "fixed",
    cell: (flow) => (
      <>
        <How of={flow} />
        {!flow.certain && <span className="muted"> · possibly</span>}
        {flow.failed && <span className="removed"> ✕ by failed runs</span>}
      </>
    ),
  },
  {
    name: "Now",
    look: "fixed",
    by: ({ status }) => status,
    cell: ({ status }) => (status === "dropped" ? <span className="removed">✕ dropped</span> : status),
  },
  { name: "By", look: "small", cell: ({ jobs }) => jobs.map(({ name }) => name).join(", ") },
];

/** A table of columns under its title, with their number. */
const card = <T,>(title: string, columns: readonly ColumnOf<T>[], rows: readonly T[], none: string) => (
  <TableCard {...{ title, columns, rows, none }} of={plural(rows.length, "column")} height="70vh" />
);

/** Columns that a column or a tag flowed into. */
export const Flows = ({ title, flows }: { title: string; flows: readonly Flow[] }) =>
  card(title, FLOWS, flows, "Nothing was made of it in this time.");

const REASONS = {
  raw: "raw: no run wrote its dataset",
  generated: "generated: made of nothing",
  unreported: "not reported of which columns",
  before: "made before this time",
  elsewhere: "in a namespace that is not yours to see",
} as const;

const SOURCES: ColumnOf<Provenance["sources"][number]>[] = [
  HOPS,
  COLUMN,
  { name: "How", cell: (source) => <How of={source} /> },
  { name: "The path ends here because it is", cell: ({ reason }) => REASONS[reason] },
];

/** True sources of a column: where the paths to it begin. */
export const Sources = ({ report: { sources } }: { report: Provenance }) =>
  card("True sources", SOURCES, sources, "None is known.");

const TAGGED: ColumnOf<TagUsage["columns"][number]>[] = [
  COLUMN,
  {
    name: "Tagged by",
    look: "small",
    cell: ({ reportedBy }) =>
      [...new Set(reportedBy.map(({ producer, caller, source }) => caller ?? source ?? producer ?? "unknown"))].join(
        ", ",
      ),
  },
  {
    name: "See",
    look: "fixed",
    cell: ({ column: { dataset, field } }) =>
      field !== null && <Link href={link("usage", { node: fieldId(dataset, field) })}>usage</Link>,
  },
];

/** The columns that have a tag, with who tagged them. */
export const Tagged = ({ columns }: Pick<TagUsage, "columns">) =>
  card("Tagged", TAGGED, columns, "No column has it now.");

const FIELDS_MAX = 6,
  RUNS_MAX = 3;

const USES: ColumnOf<Usage["uses"][number]>[] = [
  {
    name: "Use",
    look: "fixed",
    by: ({ kind }) => kind,
    cell: ({ kind, known }) => (
      <>
        <b>{kind.toLowerCase()}</b>
        {!known && <div className="small muted">columns not reported</div>}
      </>
    ),
  },
  {
    name: "Job",
    by: ({ job }) => job?.name ?? "",
    cell: ({ job }) => (job ? <JobLink job={job} /> : <span className="muted">not yours to see</span>),
  },
  {
    name: "Fields",
    look: "mono small",
    cell: ({ fields }) =>
      fields.slice(0, FIELDS_MAX).map(nameOf).join(", ") +
      (fields.length > FIELDS_MAX ? ` and ${fields.length - FIELDS_MAX} more` : ""),
  },
  { name: "Runs", number: true, by: (use) => use.count },
  times("Last", (use) => use.last),
  {
    name: "Newest runs",
    look: "fixed",
    cell: ({ runs }) =>
      runs.slice(0, RUNS_MAX).map(({ id, state }) => (
        <div key={id}>
          <StateOf state={state}>{""}</StateOf> <MonoLink to={link("run", { id })}>{`${id.slice(0, 13)}…`}</MonoLink>
        </div>
      )),
  },
];

/** Uses of a column: which jobs read, wrote or filtered by it, and their newest runs. */
export const Uses = ({ report: { uses } }: { report: Usage }) => (
  <TableCard
    title="Uses"
    of={count(uses.length)}
    none="No run used it in this time."
    columns={USES}
    rows={uses}
    height="70vh"
  />
);
