/** A list of jobs or datasets: what narrows it, its table, and the same as a file. */

import { useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";

import { listPage } from "../../api/list-queries";
import { toCsv } from "../../model/csv";
import { narrowedTo } from "../../model/folders";
import { count } from "../../model/format";
import { Button, Filter } from "../../parts/controls";
import { Downloads } from "../../parts/export";
import { ErrorState, NamespaceChoice, Skeleton, useTitle } from "../../parts/frame";
import { type ColumnOf, LongTable } from "../../parts/table";
import { tags } from "../../parts/tags";
import { Choice, dayBefore, type Filters, Folders, Untouched, useFilters } from "./choices";
import { itemsOf, LOADED_MAX, nextOffset, PAGE, type Pages, readAll, shownOf } from "./pages";

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
  /** The number of a row by which the largest come first; their own order without it. */
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
    getNextPageParam: nextOffset,
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

/** The ways to what is not loaded: the next page, or all that a list may have. */
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

/** Return the name of the file that a list is saved in, which says if it is not whole. */
const fileOf = (of: string, { namespace, state }: Filters, total: number) =>
  [of, namespace, state, total > LOADED_MAX && `first-${LOADED_MAX}`].filter(Boolean).join("-");
