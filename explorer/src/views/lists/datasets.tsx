/** The datasets of a namespace: the last updated first, with state, owner and age. */

import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "wouter";

import { listDatasets, type ShortDataset } from "../../api/list-queries";
import { count } from "../../model/format";
import { mapOf, NodeLink, Nothing, pageOf, useTitle, When } from "../../parts/frame";
import { NamespaceChoice } from "../../parts/namespace-choice";
import type { ColumnOf } from "../../parts/table";
import { Tags } from "../../parts/tags";
import { datasetId } from "../../url/ids";
import { muted, owned } from "./cells";
import { Untouched } from "./choices";
import { dayBefore, useFilters } from "./filters";
import { Listed } from "./listed";
import { nextOffset, PAGE } from "./pages";

const DATASETS: ColumnOf<ShortDataset>[] = [
  {
    name: "Dataset",
    by: (dataset) => dataset.name,
    cell: (dataset) => (
      <NodeLink id={datasetId(dataset)} name={dataset.name} where={null} href={pageOf(datasetId(dataset))} />
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
  { name: "Updated", by: (dataset) => dataset.updatedAt, cell: (dataset) => <When time={dataset.updatedAt} /> },
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
  const { filters, change } = useFilters("datasets");
  const { namespace } = filters;
  const updatedBefore = dayBefore(filters.days);
  const result = useInfiniteQuery({
    queryKey: ["datasets", namespace, updatedBefore],
    queryFn: ({ pageParam, signal }) =>
      listDatasets({ namespace, updatedBefore, limit: PAGE, offset: pageParam }, signal),
    initialPageParam: 0,
    getNextPageParam: nextOffset,
    enabled: namespace !== "",
  });
  return (
    <div className="page">
      <h1>Datasets</h1>
      <div className="actions">
        <NamespaceChoice
          value={namespace}
          none="choose a namespace"
          choose={(chosen) => change({ namespace: chosen, folder: "" })}
        />
        <Untouched days={filters.days} change={change} />
      </div>
      {namespace ? (
        <Listed
          of={result}
          columns={DATASETS}
          word="dataset"
          keyOf={datasetId}
          filters={filters}
          change={change}
          textOf={(dataset) => `${dataset.name} ${owned(dataset.owners)} ${dataset.tags.join(" ")}`}
          header={["namespace", "name", "state", "updated", "columns", "owners", "tags"]}
          cellsOf={(dataset) => [
            dataset.namespace,
            dataset.name,
            stateOf(dataset),
            dataset.updatedAt,
            dataset.fieldCount,
            owned(dataset.owners),
            dataset.tags.join(", "),
          ]}
        />
      ) : (
        <Nothing title="Datasets are listed by namespace">Choose one above, or search for a part of a name.</Nothing>
      )}
    </div>
  );
}
