/** The lines between cards of columns. */

import type { DrawnArrow } from "../../draw/elements";
import { type Card, type ColumnArrow, operationOf } from "../../model/columns";
import type { ColumnComparison } from "../../model/compare-columns";
import type { IndirectSource } from "../../model/indirect";
import { changeOf, rowY } from "./card";

/** Return a line for each of the arrows on the path, from row to row; without a path for each of all. */
export function drawnLines(
  arrows: readonly ColumnArrow[],
  cards: readonly Card[],
  path: ReadonlySet<string> | null,
  comparison: ColumnComparison | null,
): DrawnArrow[] {
  const rows = new Map(
    cards.flatMap((card) =>
      card.columns.map(({ id }, index) => [id, { card: card.id, y: rowY(card, index) }] as const),
    ),
  );
  const marked = new Set<string>();
  return arrows.flatMap((arrow) => {
    const { from, to, direct, masked } = arrow;
    const source = rows.get(from),
      target = rows.get(to);
    if (!source || !target || source.card === target.card) return [];
    if (path && !(path.has(from) && path.has(to))) return [];
    const key = `${from}→${to}`;
    const look = `${direct ? "" : "is-indirect"} ${masked ? "is-masked" : ""} ${changeOf(comparison?.arrows.get(key))}`;
    return [
      { from: source.card, to: target.card, fromY: source.y, toY: target.y, key, look, ...markOf(arrow, marked) },
    ];
  });
}

/** Return the mark of a line; of lines to a column with the same mark, the first has it. */
function markOf(arrow: ColumnArrow, marked: Set<string>): Pick<DrawnArrow, "mark"> {
  const mark = operationOf(arrow);
  const key = `${arrow.to} ${mark?.sign}`;
  if (!mark || marked.has(key)) return {};
  marked.add(key);
  return { mark };
}

/** A dashed line from each indirect source to the dataset of the column. */
export const indirectLines = (sources: readonly IndirectSource[], target: string): DrawnArrow[] =>
  sources.map(({ id }) => ({ from: id, to: target, key: `indirect ${id}→${target}`, look: "is-indirect" }));
