/** A table with order by column; of many rows, the rows in view are drawn. */

import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useMemo, useState } from "react";
import { count, duration } from "../model/format";
import { Counted } from "./controls";
import { NodeLink, pageOf, When } from "./frame";
import { StateOf } from "./signs";

export interface ColumnOf<T> {
  name: string;
  number?: boolean;
  /** A class of its cells. */
  look?: string;
  by?: ((row: T) => string | number) | undefined;
  /** Its cells; without them, the value of `by`. */
  cell?: (row: T) => ReactNode;
}

/** A column of times. */
export const times = <T,>(name: string, of: (row: T) => string | null | undefined): ColumnOf<T> => ({
  name,
  look: "fixed",
  by: (row) => of(row) ?? "",
  cell: (row) => <When time={of(row) ?? null} />,
});

/** A column of durations in milliseconds. */
export const durations = <T,>(name: string, of: (row: T) => number | null | undefined): ColumnOf<T> => ({
  name,
  number: true,
  by: (row) => of(row) ?? -1,
  cell: (row) => duration(of(row) ?? null),
});

/** A column of states of runs. */
export const states = <T,>(of: (row: T) => string | null | undefined): ColumnOf<T> => ({
  name: "State",
  look: "fixed",
  by: (row) => of(row) ?? "",
  cell: (row) => <StateOf state={of(row) ?? null} />,
});

/** A column of jobs or datasets, each a link to its page. */
export const nodes = <T extends { namespace: string; name: string }>(
  name: string,
  idOf: (row: T) => string,
): ColumnOf<T> => ({
  name,
  by: (row) => row.name,
  cell: (row) => <NodeLink id={idOf(row)} name={row.name} where={row.namespace} href={pageOf(idOf(row))} />,
});

export const NONE = <span className="muted">–</span>;

/** Return the content of a cell; a dash for an empty text. */
function contentOf<T>({ by, cell }: ColumnOf<T>, row: T): ReactNode {
  if (cell) return cell(row);
  const value = by?.(row);
  return typeof value === "number" ? count(value) : value || NONE;
}

const VIRTUAL_ABOVE = 100;
const SCREEN = "calc(100vh - 240px)";
const ROW_PX = 34;

interface Props<T> {
  label: string;
  columns: readonly ColumnOf<T>[];
  rows: readonly T[];
  /** The name of a row; its place by default. */
  keyOf?: (row: T) => string;
  selected?: string;
  height?: string;
}

export function LongTable<T>(props: Props<T>) {
  const { label, columns, rows } = props;
  // Without a bound, all rows of a long table would be in sight.
  const height = rows.length > VIRTUAL_ABOVE && props.height === "none" ? SCREEN : (props.height ?? SCREEN);
  const { sorted, order, setOrder } = useSorted(rows, columns);
  // A state and no ref: the drawn rows follow from the box, and React commits a body before the box.
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  return (
    <div
      className="scroll"
      ref={setScroller}
      style={{ maxHeight: height }}
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      <table className="table" aria-rowcount={sorted.length}>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={column.name} column={column} order={order} setOrder={setOrder} />
            ))}
          </tr>
        </thead>
        <Body {...props} rows={sorted} scroller={scroller} />
      </table>
    </div>
  );
}

interface CardProps<T> extends Omit<Props<T>, "label"> {
  title: string;
  label?: string;
  /** A number beside the title. */
  of?: ReactNode;
  /** The sentence in place of no rows. */
  none?: string;
}

/** A table under its title. */
export const TableCard = <T,>({ title, label = title.toLowerCase(), of, none, ...table }: CardProps<T>) => (
  <section className="card">
    {of === undefined ? <h2>{title}</h2> : <Counted title={title} of={of} />}
    {none && !table.rows.length ? <p className="muted">{none}</p> : <LongTable label={label} {...table} />}
  </section>
);

interface Order {
  name: string;
  down: boolean;
}

/** The rows in the order of a column, and in their own order without one. */
function useSorted<T>(rows: readonly T[], columns: readonly ColumnOf<T>[]) {
  const [order, setOrder] = useState<Order | null>(null);
  const sorted = useMemo(() => {
    const by = columns.find((column) => column.name === order?.name)?.by;
    if (!by || !order) return rows;
    const sign = order.down ? -1 : 1;
    return [...rows].sort((a, b) => (by(a) < by(b) ? -sign : by(a) > by(b) ? sign : 0));
  }, [rows, order, columns]);
  return { sorted, order, setOrder };
}

interface HeadProps<T> {
  column: ColumnOf<T>;
  order: Order | null;
  setOrder: (order: Order | null) => void;
}

/** The head of a column: a click sorts by the column, a second click in reverse, a third click by nothing. */
function Head<T>({ column: { name, by, number }, order, setOrder }: HeadProps<T>) {
  const own = order?.name === name ? order : null;
  const next = !own ? { name, down: false } : own.down ? null : { name, down: true };
  return (
    <th className={number ? "number" : ""} aria-sort={own ? (own.down ? "descending" : "ascending") : undefined}>
      {by ? (
        <button onClick={() => setOrder(next)}>
          {name}
          {own ? (own.down ? " ↓" : " ↑") : ""}
        </button>
      ) : (
        name
      )}
    </th>
  );
}

function Body<T>({ columns, rows, keyOf, selected, scroller }: Props<T> & { scroller: HTMLDivElement | null }) {
  const isLong = rows.length > VIRTUAL_ABOVE;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller,
    estimateSize: () => ROW_PX,
    overscan: 12,
    enabled: isLong,
  });
  const drawn = isLong ? virtual.getVirtualItems() : rows.map((_, index) => ({ index, start: 0, end: 0 }));
  return (
    <tbody>
      <Gap height={isLong ? (drawn[0]?.start ?? 0) : 0} width={columns.length} />
      {drawn.map(({ index }) => {
        const row = rows[index]!;
        const key = keyOf?.(row) ?? String(index);
        return (
          <tr
            key={key}
            data-index={index}
            ref={isLong ? virtual.measureElement : undefined}
            aria-rowindex={index + 1}
            aria-selected={selected === key || undefined}
          >
            {columns.map((column) => (
              <td key={column.name} className={column.number ? "number" : column.look}>
                {contentOf(column, row)}
              </td>
            ))}
          </tr>
        );
      })}
      <Gap height={isLong ? virtual.getTotalSize() - (drawn.at(-1)?.end ?? 0) : 0} width={columns.length} />
    </tbody>
  );
}

/** The room of undrawn rows. */
function Gap({ height, width }: { height: number; width: number }) {
  return height > 0 ? (
    <tr aria-hidden="true">
      <td style={{ height }} colSpan={width} />
    </tr>
  ) : null;
}
