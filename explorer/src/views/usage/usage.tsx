/** Usage of a column: who used it and what for, and what it flowed into. */

import { useQuery } from "@tanstack/react-query";

import { provenance as fetchProvenance, usage as fetchUsage, usageCsv } from "../../api/report-queries";
import { MainLink } from "../../parts/controls";
import { CsvButton } from "../../parts/export";
import { EmptyState, Loaded, NodeHead, useAddress, useTitle } from "../../parts/frame";
import { kindOf, nameOf } from "../../url/ids";
import { columnsLink } from "../../url/state";
import { RangeChoice, useRange, Window } from "./range";
import { Flows, Sources, Uses } from "./tables";
import { TagUsageView } from "./tag";

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
