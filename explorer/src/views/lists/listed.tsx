/** A list of jobs or datasets: its filters, its table, and the same as a file. */

import { useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import { useLocation } from "wouter";
import { listPage } from "../../api/list-queries";
import { toCsv } from "../../model/csv";
import { foldersOf, narrowedTo } from "../../model/folders";
import { count, plural } from "../../model/format";
import { Button, Chip, Filter, Select } from "../../parts/controls";
import { Downloads } from "../../parts/export";
import { tags } from "../../parts/facts";
import { ErrorState, NamespaceChoice, Skeleton, useAddress, useTitle } from "../../parts/frame";
import { type ColumnOf, LongTable } from "../../parts/table";
import { link } from "../../url/state";

interface Named {
  namespace: string;
  name: string;
  owners: readonly { name: string }[];
  tags: readonly string[];
}

interface ListProps<T> {
  of: "jobs" | "datasets";
  columns: readonly ColumnOf<T>[];
  keyOf: (row: T) => string;
  /** The number of a row, the largest first; their own order without it. */
  first?: (row: T) => number;
  /** The columns of the file. */
  header: readonly string[];
  cellsOf: (row: T) => readonly (string | number | null | undefined)[];
}

/** The names of owners, in a line. */
export const owned = ({ owners }: Pick<Named, "owners">) => owners.map(({ name }) => name).join(", ");

export const OWNER: ColumnOf<Named> = { name: "Owner", by: owned };
export const TAGS = tags<Named>((row) => row.tags);

const TITLES = { jobs: "Jobs", datasets: "Datasets" };

/** The view of a list; `children` are choices of its own. */
export function ListView<T extends Named>({ children, ...list }: ListProps<T> & { children?: ReactNode }) {
  const { of } = list;
  useTitle(TITLES[of]);
  const { filters, change } = useFilters(of);
  const { namespace, state, days } = filters;
  const listing = { namespace, state: of === "jobs" ? state : "", updatedBefore: dayBefore(days), limit: PAGE };
  const pages = useInfiniteQuery({
    queryKey: [of, listing],
    queryFn: ({ pageParam, signal }) => listPage<T>(of, { ...listing, offset: pageParam }, signal),
    initialPageParam: 0,
    getNextPageParam: (last, pages) =>
      last.items.length && pages.length * PAGE < last.total ? pages.length * PAGE : undefined,
  });
  return (
    <div className="page">
      <h1>{TITLES[of]}</h1>
      <div className="actions">
        <NamespaceChoice value={namespace} choose={(chosen) => change({ namespace: chosen, folder: "" })} />
        {children}
        <Untouched days={days} change={change} />
      </div>
      <Listed {...list} pages={pages} />
    </div>
  );
}

function Listed<T extends Named>({ of, pages, first, header, cellsOf, ...table }: ListProps<T> & { pages: Pages<T> }) {
  const { filters, change } = useFilters(of);
  const [filter, setFilter] = useState("");
  const all = useMemo(() => itemsOf(pages.data), [pages.data]);
  if (!pages.data)
    return pages.error ? <ErrorState error={pages.error} retry={() => void pages.refetch()} /> : <Skeleton />;
  const narrowed = (rows: readonly T[]) => narrowedTo(rows, filters, filter);
  const rows = first ? narrowed(all).sort((a, b) => first(b) - first(a)) : narrowed(all);
  const total = pages.data.pages[0]?.total ?? 0;
  const csv = async () => toCsv(header, narrowed(await readAll(pages)).map(cellsOf));
  const owners = all.flatMap((row) => row.owners.map(({ name }) => name));
  return (
    <section className="card">
      <div className="actions">
        <Filter label="filter the list" value={filter} set={setFilter} hint="filter by name, owner, tag" />
        <Choice name="owner" value={filters.owner} change={change} among={owners} />
        <Choice name="tag" value={filters.tag} change={change} among={all.flatMap(({ tags }) => tags)} />
        <span className="muted" role="status">
          {shownOf(rows.length, all.length, total, of.slice(0, -1))}
        </span>
        {pages.hasNextPage && <Rest of={pages} loaded={all.length} total={total} />}
        <span className="push">
          <Downloads name={fileOf(of, filters, total)} csv={csv} />
        </span>
      </div>
      {pages.hasNextPage && (
        <p className="small muted">
          The filter, owners, tags and folders here are of the first {count(all.length)} alone, those that were updated
          last.
        </p>
      )}
      <Folders names={all} folder={filters.folder} change={change} />
      {rows.length > 0 ? (
        <LongTable label={of} rows={rows} {...table} />
      ) : (
        <p className="muted">Nothing in the list is so.</p>
      )}
    </section>
  );
}

/** The ways to the rest: the next page, or as much as a list may have. */
function Rest<T>({ of, loaded, total }: { of: Pages<T>; loaded: number; total: number }) {
  const most = Math.min(total, LOADED_MAX);
  return (
    <>
      <Button disabled={of.isFetching} press={() => void of.fetchNextPage()}>
        {count(Math.min(PAGE, total - loaded))} more
      </Button>
      {most - loaded > PAGE && (
        <Button disabled={of.isFetching} press={() => void readAll(of)}>
          {most < total ? `the first ${count(most)}` : `all ${count(total)}`}
        </Button>
      )}
    </>
  );
}

/** Return the name of a list's file; it says if the list is cut. */
const fileOf = (of: string, { namespace, state }: Filters, total: number) =>
  [of, namespace, state, total > LOADED_MAX && `first-${LOADED_MAX}`].filter(Boolean).join("-");

/** The choice of how long no event has named a thing. */
const Untouched = ({ days, change }: { days: string; change: Change }) => (
  <Select
    label="last event"
    none="updated at any time"
    value={days}
    among={["1", "7", "30", "90", ...(dayBefore(days) ? [days] : [])].map((value) => [
      value,
      `no event for ${plural(Number(value), "day")}`,
    ])}
    choose={(value) => change({ days: value })}
  />
);

interface ChoiceProps {
  name: "owner" | "tag";
  value: string;
  among: readonly string[];
  change: Change;
}

/** The choice of an owner or a tag, from the list. */
const Choice = ({ name, value, among, change }: ChoiceProps) =>
  (among.length > 0 || value) && (
    <Select
      label={name}
      none={`all ${name}s`}
      value={value}
      among={[...among].sort()}
      choose={(choice) => change({ [name]: choice })}
    />
  );

/** The folders of the list's names, with their sizes, and the way back out of a folder. */
function Folders({ names, folder, change }: { names: readonly Named[]; folder: string; change: Change }) {
  const folders = foldersOf(names, folder);
  if (!folder && folders.length === 0) return null;
  return (
    <div className="actions" role="group" aria-label="folders">
      {folder && (
        <Chip aria-label={`in ${folder} ✕: leave the folder`} press={() => change({ folder: "" })}>
          in {folder} ✕
        </Chip>
      )}
      {folders.map(({ path, title, count: size }) => (
        <Chip key={path} press={() => change({ folder: path })}>
          {title} <span className="muted">{count(size)}</span>
        </Chip>
      ))}
    </div>
  );
}

// Days since the last event, at least.
const NAMES = ["namespace", "state", "owner", "tag", "folder", "days"] as const;

/** The values of a list's filters, as its address says. */
type Filters = Record<(typeof NAMES)[number], string>;

/** The filters of a list, and a function to change them. */
export function useFilters(view: "jobs" | "datasets") {
  const [, navigate] = useLocation();
  const filters: Filters = useAddress(...NAMES);
  const change = (changes: Partial<Filters>) => navigate(link(view, { ...filters, ...changes }), { replace: true });
  return { filters, change };
}

type Change = (changes: Partial<Filters>) => void;

const DAY_MS = 86_400_000;

/** Return the begin of the day so many days ago, in UTC; empty for no number of days. */
const dayBefore = (days: string) =>
  Number(days) > 0 ? new Date((Math.floor(Date.now() / DAY_MS) - Number(days)) * DAY_MS).toISOString() : "";

const PAGE = 500,
  PAGES_MAX = 10;
/** The most loaded items of a list. */
const LOADED_MAX = PAGES_MAX * PAGE;

export interface Pages<T> {
  data: { pages: { items: T[]; total: number }[] } | undefined;
  error: Error | null;
  hasNextPage: boolean;
  isFetching: boolean;
  refetch: () => unknown;
  fetchNextPage: () => Promise<Pages<T>>;
}

/** The items of the loaded pages. */
const itemsOf = <T,>(data: Pages<T>["data"]) => data?.pages.flatMap(({ items }) => items) ?? [];

/** Return how many of the rows are shown: "12 of 300 jobs", "the first 500 of 2,600 jobs". */
function shownOf(shown: number, loaded: number, total: number, word: string): string {
  const all = plural(total, word);
  if (loaded >= total) return `${count(shown)} of ${all}`;
  return shown === loaded
    ? `the first ${count(loaded)} of ${all}`
    : `${count(shown)} of the first ${count(loaded)}, of ${all}`;
}

/** Load the further pages of a list, up to `LOADED_MAX` items. */
export async function readAll<T>(of: Pages<T>): Promise<T[]> {
  let loaded = of;
  for (let page = 1; page < PAGES_MAX && loaded.hasNextPage; page++) loaded = await loaded.fetchNextPage();
  return itemsOf(loaded.data);
}
