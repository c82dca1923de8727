/** The rows of a list that a reader narrows it to. */

import { isIn, type Named } from "./folders";

/** An empty text narrows nothing. */
export interface ListFilter {
  owner: string;
  tag: string;
  folder: string;
}

interface Listed extends Named {
  owners: readonly { name: string }[];
  tags: readonly string[];
}

/** Return the rows that have the owner, the tag, the folder and each typed word. */
export function narrowedTo<T extends Listed>(
  rows: readonly T[],
  { owner, tag, folder }: ListFilter,
  typed: string,
  textOf: (row: T) => string,
): T[] {
  const words = typed.toLowerCase().split(/\s+/);
  return rows.filter(
    (row) =>
      (owner === "" || row.owners.some(({ name }) => name === owner)) &&
      (tag === "" || row.tags.includes(tag)) &&
      isIn(row, folder) &&
      words.every((word) => textOf(row).toLowerCase().includes(word)),
  );
}
