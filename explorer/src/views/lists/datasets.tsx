/** All datasets, or of a namespace: the last updated first, with state, owner and the times of a write and a read. */

import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Link } from "wouter";

import { listDatasets, type ShortDataset } from "../../api/list-queries";
import { count } from "../../model/format";
import { mapOf, NodeLink, pageOf, useTitle, When } from "../../parts/frame";
import { NamespaceChoice } from "../../parts/namespace-choice";
import { type Marks, useOldData, Written } from "../../parts/old-data";
import type { ColumnOf } from "../../parts/table";
import { Tags } from "../../parts/tags";
import { datasetId } from "../../url/ids";
import { muted, owned } from "./cells";
import { Untouched } from "./choices";
import { dayBefore, useFilters } from "./filters";
import { Listed } from "./listed";
import { nextOffset, PAGE } from "./pages";

const columnsOf = (marks: Marks): ColumnOf<ShortDataset>[] => [
  {
    name: "Dataset",
    by: (dataset) => dataset.name,
    cell: (dataset) => (
      <NodeLink
        id={datasetId(dataset)}
        name={dataset.name}
        where={dataset.namespace}
        href={pageOf(datasetId(dataset))}
      />
    ),
  },
  {
    name: "State",
    by: stateOf,
    cell: (dataset) =>
      stateOf(dataset) ? (
        <span className={stateOf(dataset) === "dropped" ? "removed" : "stale"}>{stateOf(dataset)}</span>
      ) : (
        muted
      ),
  },
  {
    name: "Written",
    by: (dataset) => dataset.writtenAt ?? "",
    cell: (dataset) => <Written time={dataset.writtenAt ?? null} freshness={marks?.get(datasetId(dataset))} />,
  },
  {
    name: "Last read",
    by: (dataset) => dataset.lastReadAt ?? "",
    cell: (dataset) => <When time={dataset.lastReadAt ?? null} />,
  },
  { name: "Columns", number: true, by: (dataset) => dataset.fieldCount, cell: (dataset) => count(dataset.fieldCount) },
  { name: "Owner", by: (dataset) => owned(dataset.owners), cell: (dataset) => owned(dataset.owners) || muted },
  {
    name: "Tags",
    by: (dataset) => dataset.tags.join(),
    cell: (dataset) => (dataset.tags.length ? <Tags names={dataset.tags} /> : muted),
  },
  { name: "See", cell: (dataset) => <Link href={mapOf(datasetId(dataset))}>map</Link> },
];

function stateOf(dataset: ShortDataset): string {
  return dataset.lastLifecycleState === "DROP" ? "dropped" : dataset.stale ? "stale" : "";
}

export function DatasetsView() {
  useTitle("Datasets");
  const marks = useOldData();
  const columns = useMemo(() => columnsOf(marks), [marks]);
  const { filters, change } = useFilters("datasets");
  const { namespace } = filters;
  const updatedBefore = dayBefore(filters.days);
  const result = useInfiniteQuery({
    queryKey: ["datasets", namespace, updatedBefore],
    queryFn: ({ pageParam, signal }) =>
      listDatasets({ namespace, updatedBefore, limit: PAGE, offset: pageParam }, signal),
    initialPageParam: 0,
    getNextPageParam: nextOffset,
  });
  return (
    <div className="page">
      <h1>Datasets</h1>
      <div className="actions">
        <NamespaceChoice
          value={namespace}
          none="all namespaces"
          choose={(chosen) => change({ namespace: chosen, folder: "" })}
        />
        <Untouched days={filters.days} change={change} />
      </div>
      <Listed
        of={result}
        columns={columns}
        word="dataset"
        keyOf={datasetId}
        filters={filters}
        change={change}
        textOf={(dataset) => `${dataset.name} ${dataset.namespace} ${owned(dataset.owners)} ${dataset.tags.join(" ")}`}
        header={["namespace", "name", "state", "written", "lastRead", "columns", "owners", "tags"]}
        cellsOf={(dataset) => [
          dataset.namespace,
          dataset.name,
          stateOf(dataset),
          dataset.writtenAt,
          dataset.lastReadAt,
          dataset.fieldCount,
          owned(dataset.owners),
          dataset.tags.join(", "),
        ]}
      />
    </div>
  );
}
