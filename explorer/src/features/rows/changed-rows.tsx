/** The SQL that lists the rows that a run changed, to copy. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { datasetVersion, type Run } from "../../api/queries";
import { Copyable } from "../../parts/copyable";
import { Loaded } from "../../parts/frame";
import { sequenceOf, sqlOf } from "./sql";

export function ChangedRows({ use }: { use: Run["outputDatasetVersions"][number] }) {
  const [isOpen, setOpen] = useState(false);
  const sequence = sequenceOf(use.facets);
  const named = use.datasetVersionId;
  const result = useQuery({ ...datasetVersion(named), enabled: isOpen });
  if (sequence === null) return null;
  return (
    <details onToggle={(event) => setOpen((event.target as HTMLDetailsElement).open)}>
      <summary>SQL of the changed rows</summary>
      {isOpen && (
        <Loaded of={result} rows={1}>
          {({ facets }) => {
            const sql = sqlOf(named.namespace, named.name, sequence, facets);
            return sql ? (
              <Copyable name="the SQL of the changed rows" text={sql} />
            ) : (
              <p className="muted">the version of the storage is unknown</p>
            );
          }}
        </Loaded>
      )}
    </details>
  );
}
