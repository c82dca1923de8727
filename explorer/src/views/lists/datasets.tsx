/** All datasets, or of a namespace: the last updated first, with state, owner and the times of a write and a read. */

import { useMemo } from "react";
import { Link } from "wouter";

import type { ShortDataset } from "../../api/list-queries";
import { mapOf } from "../../parts/frame";
import { type Marks, useOldData, Written } from "../../parts/old-data";
import { type ColumnOf, NONE, nodes, times } from "../../parts/table";
import { datasetId } from "../../url/ids";
import { ListView, OWNER, owned, TAGS } from "./listed";

const columnsOf = (marks: Marks): ColumnOf<ShortDataset>[] => [
  nodes("Dataset", datasetId),
  {
    name: "State",
    by: stateOf,
    cell: (dataset) => {
      const state = stateOf(dataset);
      return state ? <span className={state === "dropped" ? "removed" : "stale"}>{state}</span> : NONE;
    },
  },
  {
    name: "Written",
    by: (dataset) => dataset.writtenAt ?? "",
    cell: (dataset) => <Written time={dataset.writtenAt ?? null} freshness={marks?.get(datasetId(dataset))} />,
  },
  times("Last read", (dataset) => dataset.lastReadAt),
  { name: "Columns", number: true, by: (dataset) => dataset.fieldCount },
  OWNER,
  TAGS,
  { name: "See", cell: (dataset) => <Link href={mapOf(datasetId(dataset))}>map</Link> },
];

function stateOf(dataset: ShortDataset): string {
  return dataset.lastLifecycleState === "DROP" ? "dropped" : dataset.stale ? "stale" : "";
}

export function DatasetsView() {
  const marks = useOldData();
  const columns = useMemo(() => columnsOf(marks), [marks]);
  return (
    <ListView<ShortDataset>
      of="datasets"
      columns={columns}
      keyOf={datasetId}
      header={["namespace", "name", "state", "written", "lastRead", "columns", "owners", "tags"]}
      cellsOf={(dataset) => [
        dataset.namespace,
        dataset.name,
        stateOf(dataset),
        dataset.writtenAt,
        dataset.lastReadAt,
        dataset.fieldCount,
        owned(dataset),
        dataset.tags.join(", "),
      ]}
    />
  );
}
