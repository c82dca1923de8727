/** Lists of all jobs, and of the datasets of a namespace: the last updated first, with state, owner and age. */

import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { Link, useLocation, useSearch } from "wouter";

import { listDatasets, listJobs, type ShortDataset, type ShortJob } from "../../api/list-queries";
import { count, duration, plural } from "../../model/format";
import { Bones, Failed, mapOf, NodeLink, Nothing, pageOf, useTitle, When } from "../../parts/frame";
import { NamespaceChoice } from "../../parts/namespace-choice";
import { StateOf } from "../../parts/signs";
import { type ColumnOf, LongTable } from "../../parts/table";
import { Tags } from "../../parts/tags";
import { datasetId, jobId } from "../../url/ids";
import { link } from "../../url/state";

const PAGE = 500;
const STATES: readonly [string, string][] = [
  ["", "All"],
  ["FAILED", "Failed"],
  ["ABORTED", "Aborted"],
  ["RUNNING", "Running"],
  ["COMPLETED", "Completed"],
];

const owned = (owners: readonly { name: string }[]) => owners.map(({ name }) => name).join(", ");
const muted = <span className="muted">–</span>;

const JOBS: ColumnOf<ShortJob>[] = [
  {
    name: "Job",
    by: (job) => job.name,
    cell: (job) => <NodeLink id={jobId(job)} name={job.name} where={job.namespace} href={pageOf(jobId(job))} />,
  },
  {
    name: "State",
    by: (job) => job.latestRun?.state ?? "",
    cell: (job) => <StateOf state={job.latestRun?.state ?? null} />,
  },
  { name: "Updated", by: (job) => job.updatedAt, cell: (job) => <When time={job.updatedAt} /> },
  {
    name: "Took",
    number: true,
    by: (job) => job.latestRun?.durationMs ?? -1,
    cell: (job) => duration(job.latestRun?.durationMs ?? null),
  },
  { name: "Owner", by: (job) => owned(job.owners), cell: (job) => owned(job.owners) || muted },
  { name: "Part of", by: (job) => job.parentJobName ?? "", cell: (job) => job.parentJobName ?? muted },
];
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

/** The query string of a list, and a function that changes it. */
function useFilters(view: "jobs" | "datasets") {
  const query = new URLSearchParams(useSearch());
  const [, navigate] = useLocation();
  const given = { namespace: query.get("namespace") ?? "", state: query.get("state") ?? "" };
  return {
    ...given,
    change: (changes: Partial<typeof given>) => navigate(link(view, { ...given, ...changes }), { replace: true }),
  };
}

export function JobsView() {
  useTitle("Jobs");
  const { namespace, state, change } = useFilters("jobs");
  const result = useInfiniteQuery({
    queryKey: ["jobs", namespace, state],
    queryFn: ({ pageParam, signal }) => listJobs({ namespace, state, limit: PAGE, offset: pageParam }, signal),
    initialPageParam: 0,
    getNextPageParam: (last, pages) =>
      last.items.length && pages.length * PAGE < last.total ? pages.length * PAGE : undefined,
  });
  return (
    <div className="page">
      <h1>Jobs</h1>
      <div className="actions">
        <NamespaceChoice value={namespace} none="all namespaces" choose={(chosen) => change({ namespace: chosen })} />
        <div className="group" role="group" aria-label="state of the last run">
          {STATES.map(([value, title]) => (
            <button
              key={value}
              className="button"
              aria-pressed={state === value}
              onClick={() => change({ state: value })}
            >
              {title}
            </button>
          ))}
        </div>
      </div>
      <Listed
        of={result}
        columns={JOBS}
        word="job"
        keyOf={jobId}
        textOf={(job) => `${job.name} ${job.namespace} ${owned(job.owners)} ${job.parentJobName ?? ""}`}
      />
    </div>
  );
}

export function DatasetsView() {
  useTitle("Datasets");
  const { namespace, change } = useFilters("datasets");
  const result = useInfiniteQuery({
    queryKey: ["datasets", namespace],
    queryFn: ({ pageParam, signal }) => listDatasets({ namespace, limit: PAGE, offset: pageParam }, signal),
    initialPageParam: 0,
    getNextPageParam: (last, pages) =>
      last.items.length && pages.length * PAGE < last.total ? pages.length * PAGE : undefined,
    enabled: namespace !== "",
  });
  return (
    <div className="page">
      <h1>Datasets</h1>
      <div className="actions">
        <NamespaceChoice
          value={namespace}
          none="choose a namespace"
          choose={(chosen) => change({ namespace: chosen })}
        />
      </div>
      {namespace ? (
        <Listed
          of={result}
          columns={DATASETS}
          word="dataset"
          keyOf={datasetId}
          textOf={(dataset) => `${dataset.name} ${owned(dataset.owners)} ${dataset.tags.join(" ")}`}
        />
      ) : (
        <Nothing title="Datasets are listed by namespace">Choose one above, or search for a part of a name.</Nothing>
      )}
    </div>
  );
}

interface Pages<T> {
  data: { pages: { items: T[]; total: number }[] } | undefined;
  error: Error | null;
  hasNextPage: boolean;
  isFetching: boolean;
  refetch: () => unknown;
  fetchNextPage: () => unknown;
}

function Listed<T>({
  of,
  columns,
  word,
  keyOf,
  textOf,
}: {
  of: Pages<T>;
  columns: readonly ColumnOf<T>[];
  word: string;
  keyOf: (row: T) => string;
  textOf: (row: T) => string;
}) {
  const [filter, setFilter] = useState("");
  const all = useMemo(() => of.data?.pages.flatMap(({ items }) => items) ?? [], [of.data]);
  if (!of.data) return of.error ? <Failed error={of.error} retry={() => void of.refetch()} /> : <Bones />;
  const words = filter.toLowerCase().split(/\s+/);
  const rows = all.filter((row) => words.every((part) => textOf(row).toLowerCase().includes(part)));
  const total = of.data.pages[0]?.total ?? 0;
  return (
    <section className="card">
      <div className="actions">
        <input
          className="field"
          placeholder="filter by name, owner, tag"
          aria-label="filter the list"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
        <span className="muted" role="status">
          {count(rows.length)} of {plural(total, word)}
        </span>
        {of.hasNextPage && (
          <button className="button" disabled={of.isFetching} onClick={() => void of.fetchNextPage()}>
            {count(total - all.length)} more
          </button>
        )}
      </div>
      {rows.length > 0 ? (
        <LongTable label={`${word}s`} columns={columns} rows={rows} keyOf={keyOf} />
      ) : (
        <p className="muted">None is so.</p>
      )}
    </section>
  );
}
