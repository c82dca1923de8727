/** News by the days of UTC, as the API counts them, and the news of a few lines. */

import { groupBy } from "../../model/group-by";

/** Return the news of each day, in the order given. */
export const newsByDay = <T extends { at: string }>(news: readonly T[]) => [
  ...groupBy(news, ({ at }) => at.slice(0, 10)),
];

/** Of new datasets that follow each other: a load of an estate has thousands. */
const NEW_MAX = 2;

/** Return the first `most` news; `more` of the new datasets that follow each other are left out after one. */
export function inBrief<T extends { kind: string }>(news: readonly T[], most: number) {
  const lines: { news: T; more: number }[] = [];
  let following = 0;
  for (const entry of news) {
    following = entry.kind === "DATASET_NEW" ? following + 1 : 0;
    if (following > NEW_MAX) lines[lines.length - 1]!.more += 1;
    else if (lines.length < most) lines.push({ news: entry, more: 0 });
    else break;
  }
  return lines;
}
