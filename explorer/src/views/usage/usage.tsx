/** Usage of a column, or of the columns with a tag: who used it and what for, and what it flowed into unmasked. */

import { useMemo, useState } from "react";
import { Link, useLocation } from "wouter";
import {
  provenance as fetchProvenance,
  usage as fetchUsage,
  type Provenance,
  type TagUsage,
  type Usage,
  usageCsv,
  usageOfTag,
} from "../../api/list-queries";
import { sortFlows } from "../../model/flows";
import { count, plural, utc } from "../../model/format";
import { Button, Choices, Filter, MainLink, MonoLink } from "../../parts/controls";
import { CsvButton } from "../../parts/export";
import { TagHead } from "../../parts/facts";
import { Asked, EmptyState, JobLink, NodeHead, NodeLink, useAddress, useTitle } from "../../parts/frame";
import { Masked, StateOf } from "../../parts/signs";
import { type ColumnOf, TableCard, times } from "../../parts/table";
import { datasetId, fieldId, kindOf, nameOf } from "../../url/ids";
import { columnsLink, link } from "../../url/state";

export function UsageView() {
  const { node, tag } = useAddress("node", "tag");
  return tag && !node ? <TagUsageView tag={tag} /> : <ColumnUsageView node={node} />;
}

function ColumnUsageView({ node }: { node: string }) {
  const range = useRange();
  useTitle(node ? `Usage of ${nameOf(node).field ?? nameOf(node).name}` : "Usage");
  if (kindOf(node) !== "field")
    return <EmptyState title="No column is chosen">Usage is of one column: find it with the box above.</EmptyState>;
  return (
    <div className="page">
      <NodeHead id={node}>
        <p className="muted">Who used it, where it is now, where it came from</p>
      </NodeHead>
      <div className="actions">
        <MainLink to={columnsLink({ node })}>Its path</MainLink>
        <RangeChoice of={{ node }} />
        <CsvButton name={`usage-${nameOf(node).field ?? "column"}`} load={() => usageCsv({ nodeId: node }, range)} />
      </div>
      <Asked query={fetchUsage(node, range)}>
        {(report) => (
          <>
            <Window report={report} />
            <TableCard
              title="Uses"
              of={count(report.uses.length)}
              none="No run used it in this time."
              columns={USES}
              rows={report.uses}
              height="70vh"
            />
            <Flows title="Flowed into" flows={report.flows} />
          </>
        )}
      </Asked>
      <Asked query={fetchProvenance(node, range)} rows={3}>
        {({ sources }) => card("True sources", SOURCES, sources, "None is known.")}
      </Asked>
    </div>
  );
}

function TagUsageView({ tag }: { tag: string }) {
  const range = useRange();
  useTitle(`Usage of ${tag}`);
  return (
    <div className="page">
      <TagHead tag={tag}>
        <p className="muted">The columns that have it, and where they flow unmasked</p>
      </TagHead>
      <div className="actions">
        <MainLink to={link("search", { tag })}>All that has it</MainLink>
        <RangeChoice of={{ tag }} />
        <CsvButton name={`usage-${tag}`} load={() => usageCsv({ tag }, range)} />
      </div>
      <Asked query={usageOfTag(tag, range)}>
        {(report) => (
          <>
            <Window report={report} />
            <TaggedFlows report={report} />
          </>
        )}
      </Asked>
    </div>
  );
}

/** Where a tag's columns flow: first what has no tag; what only failed runs reported is left out until it is wanted. */
function TaggedFlows({ report }: { report: TagUsage }) {
  const [filter, setFilter] = useState("");
  const [isAll, setAll] = useState(false);
  const { untagged, rest, failed } = useMemo(() => sortFlows(report.flows, report.columns), [report]);
  const words = filter.toLowerCase().split(/\s+/);
  const has = ({ column }: { column: Usage["column"] }) =>
    words.every((word) =>
      `${column.dataset.namespace} ${column.dataset.name}.${column.field ?? ""}`.toLowerCase().includes(word),
    );
  const datasets = (rows: readonly { column: Usage["column"] }[]) =>
    plural(new Set(rows.map(({ column }) => datasetId(column.dataset))).size, "dataset");
  return (
    <>
      <p>
        <b>
          {plural(report.columns.length, "column")} of {datasets(report.columns)}{" "}
          {report.columns.length === 1 ? "is" : "are"} tagged. {count(untagged.length)} more in {datasets(untagged)}{" "}
          {untagged.length === 1 ? "holds" : "hold"} it without the tag.
        </b>
      </p>
      <div className="actions">
        <Filter label="filter the columns" value={filter} set={setFilter} hint="filter, such as gold" />
        {failed.length > 0 && (
          <Button on={isAll} press={() => setAll(!isAll)}>
            and {count(failed.length)} by failed runs alone
          </Button>
        )}
      </div>
      <Flows title="Flowed into, without the tag" flows={[...untagged, ...(isAll ? failed : [])].filter(has)} />
      {card("Tagged", TAGGED, report.columns.filter(has), "No column has it now.")}
      {rest.length > 0 && <Flows title="Flowed into, tagged as well or indirectly" flows={rest.filter(has)} />}
    </>
  );
}

const RANGES: readonly [string, string][] = [
  ["now-1d", "a day"],
  ["now-7d", "a week"],
  ["now-30d", "30 days"],
  ["now-365d", "a year"],
];

function useRange(): { start: string; end: string } {
  const { start, end } = useAddress("start", "end");
  return { start: start || "now-30d", end: end || "now" };
}

function RangeChoice({ of }: { of: { node: string } | { tag: string } }) {
  const { start } = useRange();
  const [, navigate] = useLocation();
  return (
    <Choices
      label="time range"
      among={RANGES}
      value={start}
      choose={(value) => navigate(link("usage", { ...of, start: value, end: "now" }), { replace: true })}
    />
  );
}

function Window({ report }: { report: Pick<Usage, "window" | "truncated"> }) {
  return (
    <p className="muted">
      {utc(report.window.start)} to {utc(report.window.end)} UTC
      {report.truncated && <b className="changed"> ~ truncated: there is more than one report holds</b>}
    </p>
  );
}

type Column = Usage["column"];

const COLUMN = {
  name: "Column",
  by: ({ column }: { column: Column }) => column.dataset.name,
  cell: ({ column: { dataset, field } }: { column: Column }) => (
    <NodeLink
      id={field === null ? datasetId(dataset) : fieldId(dataset, field)}
      name={titleOf({ dataset, field })}
      where={dataset.namespace}
    />
  ),
};

const titleOf = ({ dataset, field }: Column) =>
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
const Flows = ({ title, flows }: { title: string; flows: readonly Flow[] }) =>
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
      fields.slice(0, FIELDS_MAX).map(titleOf).join(", ") +
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
