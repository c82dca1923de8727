/** A table that sorts by its columns and draws of many rows only those in view. */

import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useMemo, useRef, useState } from "react";

export interface ColumnOf<T> {
  name: string;
  number?: boolean;
  by?: (row: T) => string | number;
  cell: (row: T) => ReactNode;
}

const VIRTUAL_ABOVE = 150;
const ROW_PX = 34;

export function LongTable<T>({
  label,
  columns,
  rows,
  keyOf,
  selected,
  height = "calc(100vh - 240px)",
}: {
  label: string;
  columns: readonly ColumnOf<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string;
  selected?: string;
  height?: string;
}) {
  const [order, setOrder] = useState<{ name: string; down: boolean } | null>(null);
  const sorted = useMemo(() => {
    const by = columns.find((column) => column.name === order?.name)?.by;
    if (!by || !order) return rows;
    const sign = order.down ? -1 : 1;
    return [...rows].sort((a, b) => (by(a) < by(b) ? -sign : by(a) > by(b) ? sign : 0));
  }, [rows, order, columns]);
  const scroller = useRef<HTMLDivElement>(null);
  const isLong = rows.length > VIRTUAL_ABOVE;
  const virtual = useVirtualizer({
    count: sorted.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
    enabled: isLong,
  });
  const drawn = isLong ? virtual.getVirtualItems() : sorted.map((_, index) => ({ index, start: 0, end: 0 }));
  const above = isLong ? (drawn[0]?.start ?? 0) : 0;
  const below = isLong ? virtual.getTotalSize() - (drawn.at(-1)?.end ?? 0) : 0;
  return (
    <div className="scroll" ref={scroller} style={{ maxHeight: height }} tabIndex={0} role="region" aria-label={label}>
      <table className="table" aria-rowcount={sorted.length}>
        <thead>
          <tr>
            {columns.map(({ name, by, number }) => (
              <th
                key={name}
                className={number ? "number" : ""}
                aria-sort={order?.name === name ? (order.down ? "descending" : "ascending") : undefined}
              >
                {by ? (
                  <button
                    onClick={() =>
                      setOrder(
                        order?.name === name ? (order.down ? null : { name, down: true }) : { name, down: false },
                      )
                    }
                  >
                    {name}
                    {order?.name === name ? (order.down ? " ↓" : " ↑") : ""}
                  </button>
                ) : (
                  name
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {above > 0 && (
            <tr aria-hidden="true">
              <td style={{ height: above }} colSpan={columns.length} />
            </tr>
          )}
          {drawn.map(({ index }) => {
            const row = sorted[index]!;
            return (
              <tr
                key={keyOf(row)}
                data-index={index}
                ref={isLong ? virtual.measureElement : undefined}
                aria-rowindex={index + 1}
                aria-selected={selected === keyOf(row) || undefined}
              >
                {columns.map(({ name, number, cell }) => (
                  <td key={name} className={number ? "number" : ""}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
            );
          })}
          {below > 0 && (
            <tr aria-hidden="true">
              <td style={{ height: below }} colSpan={columns.length} />
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}
