/** Usage of a column, or of the columns with a tag: who used it and what for, and what it flowed into unmasked. */

import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useLocation } from "wouter";

import {
  provenance as fetchProvenance,
  usage as fetchUsage,
  type TagUsage,
  type Usage,
  usageCsv,
  usageOfTag,
} from "../../api/report-queries";
import { sortFlows } from "../../model/flows";
import { count, plural, utc } from "../../model/format";
import { Button, Choices, Filter, MainLink } from "../../parts/controls";
import { CsvButton } from "../../parts/export";
import { Asked, EmptyState, Loaded, NodeHead, useAddress, useTitle } from "../../parts/frame";
import { TagHead } from "../../parts/tags";
import { datasetId, kindOf, nameOf } from "../../url/ids";
import { columnsLink, link } from "../../url/state";
import { Flows, Sources, Tagged, Uses } from "./tables";

export function UsageView() {
  const { node, tag } = useAddress("node", "tag");
  return tag && !node ? <TagUsageView tag={tag} /> : <ColumnUsageView node={node} />;
}

function ColumnUsageView({ node }: { node: string }) {
  const range = useRange();
  useTitle(node ? `Usage of ${nameOf(node).field ?? nameOf(node).name}` : "Usage");
  const result = useQuery({ ...fetchUsage(node, range), enabled: kindOf(node) === "field" });
  const sources = useQuery({ ...fetchProvenance(node, range), enabled: kindOf(node) === "field" });
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
      <Loaded of={result}>
        {(report) => (
          <>
            <Window report={report} />
            <Uses report={report} />
            <Flows title="Flowed into" flows={report.flows} />
          </>
        )}
      </Loaded>
      <Loaded of={sources} rows={3}>
        {(report) => <Sources report={report} />}
      </Loaded>
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
      <Tagged columns={report.columns.filter(has)} />
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
