/** A column of a report, and the way of a value to it. */

import type { Usage } from "../../api/report-queries";
import { NodeLink } from "../../parts/frame";
import { SignOf } from "../../parts/signs";
import { datasetId, fieldId } from "../../url/ids";

export function ColumnLink({ column }: { column: Usage["column"] }) {
  const id = column.field === null ? datasetId(column.dataset) : fieldId(column.dataset, column.field);
  return (
    <NodeLink
      id={id}
      name={`${column.dataset.name}${column.field === null ? " (columns not reported)" : `.${column.field}`}`}
      where={column.dataset.namespace}
    />
  );
}

/** The way of a value to a column. */
export function How({ of: { masked, direct } }: { of: { masked: boolean; direct: boolean } }) {
  if (masked)
    return (
      <span className="state is-masked">
        <SignOf of="lock" />
        masked
      </span>
    );
  return direct ? "direct" : <span className="muted">indirect</span>;
}
