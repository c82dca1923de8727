/** The rows of a list that a reader narrows it to. */

import { isIn, type Named } from "./folders";

interface Listed extends Named {
  owners: readonly { name: string }[];
  tags: readonly string[];
  parentJobName?: string | null;
}

const textOf = ({ name, namespace, owners, tags, parentJobName }: Listed) =>
  [name, namespace, ...owners.map((owner) => owner.name), ...tags, parentJobName].join(" ").toLowerCase();

/** Return the rows that have the owner, the tag, the folder and each typed word; an empty text narrows nothing. */
export function narrowedTo<T extends Listed>(
  rows: readonly T[],
  { owner, tag, folder }: { owner: string; tag: string; folder: string },
  typed: string,
): T[] {
  const words = typed.toLowerCase().split(/\s+/);
  return rows.filter(
    (row) =>
      (owner === "" || row.owners.some(({ name }) => name === owner)) &&
      (tag === "" || row.tags.includes(tag)) &&
      isIn(row, folder) &&
      words.every((word) => textOf(row).includes(word)),
  );
}
