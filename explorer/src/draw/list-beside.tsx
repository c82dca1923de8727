/** The list beside a picture, or in its place: its rows, narrowed by a text. */

import { type ReactNode, useState } from "react";
import { count } from "../model/format";
import { Filter } from "../parts/controls";
import { type ColumnOf, LongTable } from "../parts/table";

interface Props<T> {
  of: string;
  label: string;
  rows: readonly T[];
  /** The number of rows before the list was narrowed. */
  total: number;
  textOf: (row: T) => string;
  keyOf: (row: T) => string;
  columns: readonly ColumnOf<T>[];
  selected: string;
  isAlone: boolean;
  /** Words after the number of rows. */
  note?: ReactNode;
  children?: ReactNode;
}

export function ListBeside<T>({ of, rows, total, textOf, isAlone, note, children, ...table }: Props<T>) {
  const [filter, setFilter] = useState("");
  const matches = rows.filter((row) => textOf(row).toLowerCase().includes(filter.toLowerCase()));
  return (
    <section className={isAlone ? "beside alone" : "beside"} aria-label={`the ${of} as a list`}>
      <div className="actions">
        <Filter label="filter the list" value={filter} set={setFilter} />
        <span className="muted" role="status">
          {count(matches.length)} of {count(total)}
          {note}
        </span>
        {children}
      </div>
      <LongTable {...table} rows={matches} />
    </section>
  );
}

interface ChoosingProps {
  id: string;
  choose: (id: string) => void;
  children: ReactNode;
}

/** A link in a list that selects, instead of leaving the picture. */
export const Choosing = ({ id, choose, children }: ChoosingProps) => (
  <a
    href={`#${id}`}
    onClick={(event) => {
      event.preventDefault();
      choose(id);
    }}
  >
    {children}
  </a>
);
