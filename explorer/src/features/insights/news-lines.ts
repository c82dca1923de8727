/** News by the days of UTC, as the API counts them, and the news of a few lines. */

import { groupBy } from "../../model/group-by";

/** Return the news of each day, in the order given. */
export const newsByDay = <T extends { at: string }>(news: readonly T[]) => [
  ...groupBy(news, ({ at }) => at.slice(0, 10)),
];

export interface Brief<T> {
  news: T;
  /** New datasets that follow it and are left out. */
  more: number;
}

/** Of new datasets that follow each other: a load of an estate has thousands. */
const NEW_MAX = 2;

/** Return the first `most` news, without most of the new datasets that follow each other. */
export function inBrief<T extends { kind: string }>(news: readonly T[], most: number): Brief<T>[] {
  const lines: Brief<T>[] = [];
  let following = 0;
  for (const entry of news) {
    following = entry.kind === "DATASET_NEW" ? following + 1 : 0;
    if (following > NEW_MAX) lines[lines.length - 1]!.more += 1;
    else if (lines.length < most) lines.push({ news: entry, more: 0 });
    else break;
  }
  return lines;
}
