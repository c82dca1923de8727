/** The SQL that lists the rows that a run changed, to copy. */

import { datasetVersion, type Run } from "../../api/queries";
import { Copyable } from "../../parts/copyable";
import { Asked, Opened } from "../../parts/frame";
import { sequenceOf, sqlOf } from "./sql";

export function ChangedRows({ use }: { use: Run["outputDatasetVersions"][number] }) {
  const sequence = sequenceOf(use.facets);
  const named = use.datasetVersionId;
  if (sequence === null) return null;
  return (
    <Opened title="SQL of the changed rows">
      {() => (
        <Asked query={datasetVersion(named)} rows={1}>
          {({ facets }) => {
            const sql = sqlOf(named.namespace, named.name, sequence, facets);
            return sql ? (
              <Copyable name="the SQL of the changed rows" text={sql} />
            ) : (
              <p className="muted">the version of the storage is unknown</p>
            );
          }}
        </Asked>
      )}
    </Opened>
  );
}
