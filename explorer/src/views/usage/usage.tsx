/** Usage of a column: who used it and what for, and what it flowed into. */

import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { Link, useLocation, useSearch } from "wouter";

import {
  provenance as fetchProvenance,
  usage as fetchUsage,
  type Provenance,
  type TagUsage,
  type Usage,
  usageCsv,
  usageOfTag,
} from "../../api/report-queries";
import { sortFlows } from "../../model/flows";
import { count, plural, utc } from "../../model/format";
import { download, JobLink, Loaded, NodeHead, NodeLink, Nothing, useTitle, When } from "../../parts/frame";
import { SignOf, StateOf } from "../../parts/signs";
import { datasetId, fieldId, kindOf, nameOf } from "../../url/ids";
import { columnsLink, link } from "../../url/state";

const RANGES: readonly [string, string][] = [
  ["now-1d", "a day"],
  ["now-7d", "a week"],
  ["now-30d", "30 days"],
  ["now-365d", "a year"],
];

function useRange(): { start: string; end: string } {
  const query = new URLSearchParams(useSearch());
  return { start: query.get("start") ?? "now-30d", end: query.get("end") ?? "now" };
}

function RangeChoice({ of }: { of: { node: string } | { tag: string } }) {
  const { start } = useRange();
  const [, navigate] = useLocation();
  return (
    <div className="group" role="group" aria-label="time range">
      {RANGES.map(([value, title]) => (
        <button
          key={value}
          className="button"
          aria-pressed={start === value}
          onClick={() => navigate(link("usage", { ...of, start: value, end: "now" }), { replace: true })}
        >
          {title}
        </button>
      ))}
    </div>
  );
}

const useReport = (node: string, range: { start: string; end: string }) =>
  useQuery({
    queryKey: ["usage", node, range],
    queryFn: ({ signal }) => fetchUsage(node, range, signal),
    enabled: kindOf(node) === "field",
  });

export function UsageView() {
  const query = new URLSearchParams(useSearch());
  const [node, tag] = [query.get("node") ?? "", query.get("tag") ?? ""];
  return tag && !node ? <TagUsageView tag={tag} /> : <ColumnUsageView node={node} />;
}

function ColumnUsageView({ node }: { node: string }) {
  const range = useRange();
  useTitle(node ? `Usage of ${nameOf(node).field ?? nameOf(node).name}` : "Usage");
  const result = useReport(node, range);
  const sources = useQuery({
    queryKey: ["provenance", node, range],
    queryFn: ({ signal }) => fetchProvenance(node, range, signal),
    enabled: kindOf(node) === "field",
  });
  if (kindOf(node) !== "field")
    return <Nothing title="No column is chosen">Usage is of one column: find it with the box above.</Nothing>;
  return (
    <div className="page">
      <NodeHead id={node}>
        <p className="muted">Who used it, where it is now, where it came from</p>
      </NodeHead>
      <div className="actions">
        <Link className="button main" href={columnsLink({ node })}>
          Its path
        </Link>
        <RangeChoice of={{ node }} />
        <button
          className="button"
          onClick={() =>
            void usageCsv({ nodeId: node }, range).then((text) =>
              download(`usage-${nameOf(node).field ?? "column"}.csv`, "text/csv;charset=utf-8", text),
            )
          }
        >
          CSV
        </button>
      </div>
      <Loaded of={result}>
        {(report) => (
          <>
            <Window report={report} />
            <Uses report={report} />
            <FlowTable title="Flowed into" flows={report.flows} />
          </>
        )}
      </Loaded>
      <Loaded of={sources} rows={3}>
        {(report) => <Sources report={report} />}
      </Loaded>
    </div>
  );
}

/** All columns with a tag, and those made of them without masking: where the personal data is. */
function TagUsageView({ tag }: { tag: string }) {
  const range = useRange();
  useTitle(`Usage of ${tag}`);
  const result = useQuery({
    queryKey: ["tag-usage", tag, range],
    queryFn: ({ signal }) => usageOfTag(tag, range, signal),
  });
  return (
    <div className="page">
      <header className="head">
        <span className="kind-tag">
          <SignOf of="tag" />
        </span>
        <div>
          <div className="kind-word">Tag</div>
          <h1>{tag}</h1>
          <p className="muted">The columns that have it, and where they flow unmasked</p>
        </div>
      </header>
      <div className="actions">
        <Link className="button main" href={link("search", { tag })}>
          All that has it
        </Link>
        <RangeChoice of={{ tag }} />
        <button
          className="button"
          onClick={() =>
            void usageCsv({ tag }, range).then((text) => download(`usage-${tag}.csv`, "text/csv;charset=utf-8", text))
          }
        >
          CSV
        </button>
      </div>
      <Loaded of={result}>
        {(report) => (
          <>
            <Window report={report} />
            <TaggedFlows report={report} />
          </>
        )}
      </Loaded>
    </div>
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

function Tagged({ report }: { report: TagUsage }) {
  return (
    <section className="card">
      <h2>
        Tagged <span className="muted">{plural(report.columns.length, "column")}</span>
      </h2>
      {report.columns.length === 0 && <p className="muted">No column has it now.</p>}
      {report.columns.length > 0 && (
        <div className="scroll" tabIndex={0} role="region" aria-label="tagged columns">
          <table className="table">
            <thead>
              <tr>
                <th>Column</th>
                <th>Tagged by</th>
                <th>See</th>
              </tr>
            </thead>
            <tbody>
              {report.columns.map(({ column, reportedBy }, index) => (
                <tr key={index}>
                  <td>
                    <ColumnOf column={column} />
                  </td>
                  <td className="small">
                    {[
                      ...new Set(
                        reportedBy.map(({ producer, caller, source }) => caller ?? source ?? producer ?? "unknown"),
                      ),
                    ].join(", ")}
                  </td>
                  <td className="fixed">
                    {column.field !== null && (
                      <Link href={link("usage", { node: fieldId(column.dataset, column.field) })}>usage</Link>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
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
        <input
          className="field"
          placeholder="filter, such as gold"
          aria-label="filter the columns"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
        {failed.length > 0 && (
          <button className="button" aria-pressed={isAll} onClick={() => setAll(!isAll)}>
            and {count(failed.length)} by failed runs alone
          </button>
        )}
      </div>
      <FlowTable title="Flowed into, without the tag" flows={[...untagged, ...(isAll ? failed : [])].filter(has)} />
      <Tagged report={{ ...report, columns: report.columns.filter(has) }} />
      {rest.length > 0 && <FlowTable title="Flowed into, tagged as well or indirectly" flows={rest.filter(has)} />}
    </>
  );
}

function Uses({ report }: { report: Usage }) {
  return (
    <section className="card">
      <h2>
        Uses <span className="muted">{count(report.uses.length)}</span>
      </h2>
      {report.uses.length === 0 && <p className="muted">No run used it in this time.</p>}
      {report.uses.length > 0 && (
        <div className="scroll" tabIndex={0} role="region" aria-label="uses">
          <table className="table">
            <thead>
              <tr>
                <th>Use</th>
                <th>Job</th>
                <th>Fields</th>
                <th className="number">Runs</th>
                <th>Last</th>
                <th>Newest runs</th>
              </tr>
            </thead>
            <tbody>
              {report.uses.map((use, index) => (
                <tr key={index}>
                  <td className="fixed">
                    <b>{use.kind.toLowerCase()}</b>
                    {!use.known && <div className="small muted">columns not reported</div>}
                  </td>
                  <td>{use.job ? <JobLink job={use.job} /> : <span className="muted">not yours to see</span>}</td>
                  <td className="mono small">
                    {use.fields
                      .slice(0, 6)
                      .map((field) =>
                        field.field === null
                          ? `${field.dataset.name} (columns not reported)`
                          : `${field.dataset.name}.${field.field}`,
                      )
                      .join(", ")}
                    {use.fields.length > 6 && ` and ${use.fields.length - 6} more`}
                  </td>
                  <td className="number">{count(use.count)}</td>
                  <td className="fixed">
                    <When time={use.last} />
                  </td>
                  <td>
                    {use.runs.slice(0, 3).map((run) => (
                      <div key={run.id}>
                        <StateOf state={run.state}>{""}</StateOf>{" "}
                        <Link className="mono" href={link("run", { id: run.id })}>
                          {run.id.slice(0, 13)}…
                        </Link>
                      </div>
                    ))}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

const STATUS = { alive: "alive", dropped: "dropped", unknown: "unknown" } as const;

function FlowTable({ title, flows }: { title: string; flows: Usage["flows"] }) {
  return (
    <section className="card">
      <h2>
        {title} <span className="muted">{plural(flows.length, "column")}</span>
      </h2>
      {flows.length === 0 && <p className="muted">Nothing was made of it in this time.</p>}
      {flows.length > 0 && (
        <div className="scroll" tabIndex={0} role="region" aria-label={title}>
          <table className="table">
            <thead>
              <tr>
                <th className="number">Hops</th>
                <th>Column</th>
                <th>How</th>
                <th>Now</th>
                <th>By</th>
              </tr>
            </thead>
            <tbody>
              {flows.map((flow, index) => (
                <tr key={index}>
                  <td className="number">{flow.hops}</td>
                  <td>
                    <ColumnOf column={flow.column} />
                  </td>
                  <td className="fixed">
                    {flow.masked ? (
                      <span className="state is-masked">
                        <SignOf of="lock" />
                        masked
                      </span>
                    ) : flow.direct ? (
                      "direct"
                    ) : (
                      <span className="muted">indirect</span>
                    )}
                    {!flow.certain && <span className="muted"> · possibly</span>}
                    {flow.failed && <span className="removed"> ✕ by failed runs</span>}
                  </td>
                  <td className="fixed">
                    {flow.status === "dropped" ? <span className="removed">✕ dropped</span> : STATUS[flow.status]}
                  </td>
                  <td className="small">{flow.jobs.map(({ name }) => name).join(", ")}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

const REASONS = {
  raw: "raw: no run wrote its dataset",
  generated: "generated: made of nothing",
  unreported: "not reported of which columns",
  before: "made before this time",
  elsewhere: "in a namespace that is not yours to see",
} as const;

function Sources({ report }: { report: Provenance }) {
  return (
    <section className="card">
      <h2>
        True sources <span className="muted">{plural(report.sources.length, "column")}</span>
      </h2>
      {report.sources.length === 0 && <p className="muted">None is known.</p>}
      {report.sources.length > 0 && (
        <table className="table">
          <thead>
            <tr>
              <th className="number">Hops</th>
              <th>Column</th>
              <th>How</th>
              <th>The path ends here because it is</th>
            </tr>
          </thead>
          <tbody>
            {report.sources.map((source, index) => (
              <tr key={index}>
                <td className="number">{source.hops}</td>
                <td>
                  <ColumnOf column={source.column} />
                </td>
                <td>
                  {source.masked ? (
                    <span className="state is-masked">
                      <SignOf of="lock" />
                      masked
                    </span>
                  ) : source.direct ? (
                    "direct"
                  ) : (
                    <span className="muted">indirect</span>
                  )}
                </td>
                <td>{REASONS[source.reason]}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function ColumnOf({ column }: { column: Usage["column"] }) {
  const id = column.field === null ? datasetId(column.dataset) : fieldId(column.dataset, column.field);
  return (
    <NodeLink
      id={id}
      name={`${column.dataset.name}${column.field === null ? " (columns not reported)" : `.${column.field}`}`}
      where={column.dataset.namespace}
    />
  );
}
