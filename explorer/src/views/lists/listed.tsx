/** A list of jobs or datasets: what narrows it, its table, and the same as a file. */

import { useMemo, useState } from "react";

import { toCsv } from "../../model/csv";
import { count } from "../../model/format";
import { narrowedTo } from "../../model/listed";
import { Filter } from "../../parts/controls";
import { Downloads } from "../../parts/export";
import { Bones, Failed } from "../../parts/frame";
import { type ColumnOf, LongTable } from "../../parts/table";
import { Choice, Folders } from "./choices";
import type { Change, Filters } from "./filters";
import { itemsOf, LOADED_MAX, PAGE, type Pages, readAll, shownOf } from "./pages";

interface Named {
  namespace: string;
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
  /** The number of a row by which the largest come first; their own order without it. */
  first?: (row: T) => number;
  header: readonly string[];
  cellsOf: (row: T) => readonly (string | number | null | undefined)[];
}

export function Listed<T extends Named>({
  of,
  columns,
  word,
  keyOf,
  filters,
  change,
  textOf,
  header,
  cellsOf,
  first,
}: ListedProps<T>) {
  const [filter, setFilter] = useState("");
  const all = useMemo(() => itemsOf(of.data), [of.data]);
  if (!of.data) return of.error ? <Failed error={of.error} retry={() => void of.refetch()} /> : <Bones />;
  const narrowed = (rows: readonly T[]) => narrowedTo(rows, filters, filter, textOf);
  const rows = first ? narrowed(all).sort((a, b) => first(b) - first(a)) : narrowed(all);
  const total = of.data.pages[0]?.total ?? 0;
  const csv = async () => toCsv(header, narrowed(await readAll(of)).map(cellsOf));
  return (
    <section className="card">
      <div className="actions">
        <Filter label="filter the list" value={filter} set={setFilter} hint="filter by name, owner, tag" />
        <Choice name="owner" none="all owners" value={filters.owner} change={change} among={ownersOf(all)} />
        <Choice
          name="tag"
          none="all tags"
          value={filters.tag}
          change={change}
          among={all.flatMap(({ tags }) => tags)}
        />
        <span className="muted" role="status">
          {shownOf(rows.length, all.length, total, word)}
        </span>
        {of.hasNextPage && <Rest of={of} loaded={all.length} total={total} />}
        <span className="push">
          <Downloads name={fileOf(word, filters, total)} csv={csv} />
        </span>
      </div>
      {of.hasNextPage && <Partly loaded={all.length} />}
      <Folders names={all} folder={filters.folder} change={change} />
      {rows.length > 0 ? (
        <LongTable label={`${word}s`} columns={columns} rows={rows} keyOf={keyOf} />
      ) : (
        <p className="muted">Nothing in the list is so.</p>
      )}
    </section>
  );
}

/** What is said of a list that is not whole. */
const Partly = ({ loaded }: { loaded: number }) => (
  <p className="small muted">
    The filter, owners, tags and folders here are of the first {count(loaded)} alone, those that were updated last.
  </p>
);

/** The ways to what is not loaded: the next page, or all that a list may have. */
function Rest<T>({ of, loaded, total }: { of: Pages<T>; loaded: number; total: number }) {
  const most = Math.min(total, LOADED_MAX);
  return (
    <>
      <button className="button" disabled={of.isFetching} onClick={() => void of.fetchNextPage()}>
        {count(Math.min(PAGE, total - loaded))} more
      </button>
      {most - loaded > PAGE && (
        <button className="button" disabled={of.isFetching} onClick={() => void readAll(of)}>
          {most < total ? `the first ${count(most)}` : `all ${count(total)}`}
        </button>
      )}
    </>
  );
}

/** Return the name of the file that a list is saved in, which says if it is not whole. */
const fileOf = (word: string, { namespace, state }: Filters, total: number) =>
  [`${word}s`, namespace, state, total > LOADED_MAX && `first-${LOADED_MAX}`].filter(Boolean).join("-");

const ownersOf = (rows: readonly Named[]) => rows.flatMap(({ owners }) => owners.map(({ name }) => name));
