/** All columns with a tag, and those made of them without masking: where the personal data is. */

import { useMemo, useState } from "react";

import { type TagUsage, type Usage, usageCsv, usageOfTag } from "../../api/report-queries";
import { sortFlows } from "../../model/flows";
import { count, plural } from "../../model/format";
import { Button, Filter, MainLink } from "../../parts/controls";
import { CsvButton } from "../../parts/export";
import { Asked, useTitle } from "../../parts/frame";
import { TagHead } from "../../parts/tags";
import { datasetId } from "../../url/ids";
import { link } from "../../url/state";
import { RangeChoice, useRange, Window } from "./range";
import { Flows, Tagged } from "./tables";

export function TagUsageView({ tag }: { tag: string }) {
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
