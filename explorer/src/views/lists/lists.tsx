/** Lists of all jobs, and of the datasets of a namespace: the last updated first, with state, owner and age. */

import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { Link, useLocation, useSearch } from "wouter";

import { listDatasets, listJobs, type ShortDataset, type ShortJob } from "../../api/list-queries";
import { toCsv } from "../../model/csv";
import { foldersOf, isIn } from "../../model/folders";
import { count, duration, plural } from "../../model/format";
import { Downloads } from "../../parts/export";
import { Bones, Failed, mapOf, NodeLink, Nothing, pageOf, useTitle, When } from "../../parts/frame";
import { NamespaceChoice } from "../../parts/namespace-choice";
import { StateOf } from "../../parts/signs";
import { type ColumnOf, LongTable } from "../../parts/table";
import { Tags } from "../../parts/tags";
import { datasetId, jobId } from "../../url/ids";
import { link } from "../../url/state";

const PAGE = 500,
  PAGES_MAX = 10;
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

/** What a list is narrowed to, as its address says. */
interface Filters {
  namespace: string;
  state: string;
  owner: string;
  tag: string;
  folder: string;
  /** Days since the last event, at least. */
  days: string;
}

const NAMES = ["namespace", "state", "owner", "tag", "folder", "days"] as const;

/** The filters of a list, and a function that changes them. */
function useFilters(view: "jobs" | "datasets") {
  const query = new URLSearchParams(useSearch());
  const [, navigate] = useLocation();
  const filters = Object.fromEntries(NAMES.map((name) => [name, query.get(name) ?? ""])) as unknown as Filters;
  const change = (changes: Partial<Filters>) => navigate(link(view, { ...filters, ...changes }), { replace: true });
  return { filters, change };
}

type Change = (changes: Partial<Filters>) => void;

const DAY_MS = 86_400_000;

/** Return the begin of the day so many days ago, in UTC; empty for no number of days. */
const dayBefore = (days: string) =>
  Number(days) > 0 ? new Date((Math.floor(Date.now() / DAY_MS) - Number(days)) * DAY_MS).toISOString() : "";

const nextOffset = (last: { items: readonly unknown[]; total: number }, pages: readonly unknown[]) =>
  last.items.length && pages.length * PAGE < last.total ? pages.length * PAGE : undefined;

export function JobsView() {
  useTitle("Jobs");
  const { filters, change } = useFilters("jobs");
  const { namespace, state } = filters;
  const updatedBefore = dayBefore(filters.days);
  const result = useInfiniteQuery({
    queryKey: ["jobs", namespace, state, updatedBefore],
    queryFn: ({ pageParam, signal }) =>
      listJobs({ namespace, state, updatedBefore, limit: PAGE, offset: pageParam }, signal),
    initialPageParam: 0,
    getNextPageParam: nextOffset,
  });
  return (
    <div className="page">
      <h1>Jobs</h1>
      <div className="actions">
        <NamespaceChoice
          value={namespace}
          none="all namespaces"
          choose={(chosen) => change({ namespace: chosen, folder: "" })}
        />
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
        <Untouched days={filters.days} change={change} />
      </div>
      <Listed
        of={result}
        columns={JOBS}
        word="job"
        keyOf={jobId}
        filters={filters}
        change={change}
        textOf={(job) => `${job.name} ${job.namespace} ${owned(job.owners)} ${job.parentJobName ?? ""}`}
        header={["namespace", "name", "state", "updated", "durationMs", "owners", "tags", "partOf"]}
        cellsOf={(job) => [
          job.namespace,
          job.name,
          job.latestRun?.state,
          job.updatedAt,
          job.latestRun?.durationMs,
          owned(job.owners),
          job.tags.join(", "),
          job.parentJobName,
        ]}
      />
    </div>
  );
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

/** The choice of how long no event has named a thing. */
const Untouched = ({ days, change }: { days: string; change: Change }) => (
  <select
    className="field"
    aria-label="last event"
    value={days}
    onChange={(event) => change({ days: event.target.value })}
  >
    <option value="">updated at any time</option>
    {[...new Set(["1", "7", "30", "90", ...(dayBefore(days) ? [days] : [])])].map((value) => (
      <option key={value} value={value}>
        no event for {plural(Number(value), "day")}
      </option>
    ))}
  </select>
);

interface Pages<T> {
  data: { pages: { items: T[]; total: number }[] } | undefined;
  error: Error | null;
  hasNextPage: boolean;
  isFetching: boolean;
  refetch: () => unknown;
  fetchNextPage: () => Promise<Pages<T>>;
}

interface Named {
  name: string;
  owners: readonly { name: string }[];
  tags: readonly string[];
}

interface ListedProps<T> {
  of: Pages<T>;
  columns: readonly ColumnOf<T>[];
  word: string;
  keyOf: (row: T) => string;
  filters: Filters;
  change: Change;
  textOf: (row: T) => string;
  header: readonly string[];
  cellsOf: (row: T) => readonly (string | number | null | undefined)[];
}

const itemsOf = <T,>(data: Pages<T>["data"]) => data?.pages.flatMap(({ items }) => items) ?? [];

/** True of a row that has the owner, the tag and the folder. */
const isAmong =
  ({ owner, tag, folder }: Filters) =>
  (row: Named) =>
    (owner === "" || row.owners.some(({ name }) => name === owner)) &&
    (tag === "" || row.tags.includes(tag)) &&
    isIn(row.name, folder);

function Listed<T extends Named>({
  of,
  columns,
  word,
  keyOf,
  filters,
  change,
  textOf,
  header,
  cellsOf,
}: ListedProps<T>) {
  const [filter, setFilter] = useState("");
  const all = useMemo(() => itemsOf(of.data), [of.data]);
  if (!of.data) return of.error ? <Failed error={of.error} retry={() => void of.refetch()} /> : <Bones />;
  const words = filter.toLowerCase().split(/\s+/);
  const narrowed = (rows: readonly T[]) =>
    rows.filter(isAmong(filters)).filter((row) => words.every((part) => textOf(row).toLowerCase().includes(part)));
  const rows = narrowed(all);
  const total = of.data.pages[0]?.total ?? 0;
  const csv = async () => toCsv(header, narrowed(await readAll(of)).map(cellsOf));
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
        <Choice name="owner" none="all owners" value={filters.owner} change={change} among={ownersOf(all)} />
        <Choice
          name="tag"
          none="all tags"
          value={filters.tag}
          change={change}
          among={all.flatMap(({ tags }) => tags)}
        />
        <span className="muted" role="status">
          {count(rows.length)} of {plural(total, word)}
        </span>
        {of.hasNextPage && (
          <button className="button" disabled={of.isFetching} onClick={() => void of.fetchNextPage()}>
            {count(total - all.length)} more
          </button>
        )}
        <span className="push">
          <Downloads name={[`${word}s`, filters.namespace, filters.state].filter(Boolean).join("-")} csv={csv} />
        </span>
      </div>
      <Folders names={all.map(({ name }) => name)} folder={filters.folder} change={change} isAll={!of.hasNextPage} />
      {rows.length > 0 ? (
        <LongTable label={`${word}s`} columns={columns} rows={rows} keyOf={keyOf} />
      ) : (
        <p className="muted">Nothing in the list is so.</p>
      )}
    </section>
  );
}

/** Load the other pages of a list, up to so many. */
async function readAll<T>(of: Pages<T>): Promise<T[]> {
  let loaded = of;
  for (let page = 1; page < PAGES_MAX && loaded.hasNextPage; page++) loaded = await loaded.fetchNextPage();
  return itemsOf(loaded.data);
}

const ownersOf = (rows: readonly Named[]) => rows.flatMap(({ owners }) => owners.map(({ name }) => name));

/** The choice of an owner or a tag, among those of the list. */
function Choice({
  name,
  none,
  value,
  among,
  change,
}: {
  name: "owner" | "tag";
  none: string;
  value: string;
  among: readonly string[];
  change: Change;
}) {
  const choices = [...new Set([...among, ...(value ? [value] : [])])].sort();
  if (choices.length === 0) return null;
  return (
    <select
      className="field"
      aria-label={name}
      value={value}
      onChange={(event) => change({ [name]: event.target.value })}
    >
      <option value="">{none}</option>
      {choices.map((choice) => (
        <option key={choice}>{choice}</option>
      ))}
    </select>
  );
}

/** The folders of the list's names, with their sizes, and the way back out of one. */
function Folders({
  names,
  folder,
  isAll,
  change,
}: {
  names: readonly string[];
  folder: string;
  isAll: boolean;
  change: Change;
}) {
  const folders = foldersOf(names, folder);
  if (!folder && folders.length === 0) return null;
  return (
    <div className="actions" role="group" aria-label="folders">
      {folder && (
        <button className="chip" aria-label={`leave the folder ${folder}`} onClick={() => change({ folder: "" })}>
          in {folder} ✕
        </button>
      )}
      {folders.map(({ path, title, count: size }) => (
        <button key={path} className="chip" onClick={() => change({ folder: path })}>
          {title} <span className="muted">{count(size)}</span>
        </button>
      ))}
      {!isAll && <span className="small muted">of the {count(names.length)} that are loaded</span>}
    </div>
  );
}
