/** The lines between cards of columns. */

import type { DrawnArrow } from "../../draw/elements";
import type { Card, ColumnArrow, ColumnLines } from "../../model/columns";
import type { ColumnComparison } from "../../model/compare-columns";
import { datasetOf } from "../../url/ids";
import { changeOf, rowY } from "./card";

/** Return a line for each of the arrows on the path, from row to row; without a path for each of all. */
export function drawnLines(
  arrows: readonly ColumnArrow[],
  cards: readonly Card[],
  path: ReadonlySet<string> | null,
  comparison: ColumnComparison | null,
): DrawnArrow[] {
  const rows = new Map(
    cards.flatMap((card) => card.columns.map(({ id }, index) => [id, { card: card.id, y: rowY(index) }] as const)),
  );
  return arrows.flatMap(({ from, to, direct, masked }) => {
    const source = rows.get(from),
      target = rows.get(to);
    if (!source || !target || source.card === target.card) return [];
    if (path && !(path.has(from) && path.has(to))) return [];
    const key = `${from}→${to}`;
    const look = `${direct ? "" : "is-indirect"} ${masked ? "is-masked" : ""} ${changeOf(comparison?.arrows.get(key))}`;
    return [{ from: source.card, to: target.card, fromY: source.y, toY: target.y, key, look }];
  });
}

/** What a column depends on besides what it is made of: from dataset to dataset, dashed. */
export function indirectLines(lines: ColumnLines, of: string, cards: readonly Card[]): DrawnArrow[] {
  if (!of) return [];
  const target = datasetOf(of);
  const there = new Set(cards.map(({ id }) => id));
  const sources = [...(lines.dependencies.get(target) ?? []), ...(lines.own.get(of) ?? [])].map(
    ({ dataset }) => dataset,
  );
  return [...new Set(sources)]
    .filter((from) => from !== target && there.has(from))
    .map((from) => ({ from, to: target, key: `indirect ${from}→${target}`, look: "is-indirect" }));
}
