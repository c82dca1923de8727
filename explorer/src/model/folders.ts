/** Folders of names: the first segments after the shared segments, and lists narrowed to a folder. */

import { groupBy } from "./group-by";
import { hasTitles } from "./titles";

const FOLDERS_MAX = 12;

interface Named {
  namespace: string;
  name: string;
}

/** Segments of a name: `silver/shop/orders` and `nordwind.gold.revenue` have three, a dashboard's title a single. */
export const segmentsOf = ({ namespace, name }: Named): string[] =>
  hasTitles(namespace) ? [name] : name.split(/[./]/).filter((segment) => segment !== "");

/** Return the folders of the names within a folder (empty: of all), the largest first; none of a single name.
 *
 * The path of a folder has the segments down to it, with slashes between.
 */
export function foldersOf(names: readonly Named[], within: string) {
  const paths = names.filter((name) => isIn(name, within)).map(segmentsOf);
  const depth = sharedDepth(paths);
  const deep = paths.filter(({ length }) => length > depth + 1);
  return [...groupBy(deep, (path) => path.slice(0, depth + 1).join("/"))]
    .filter(([, names]) => names.length > 1)
    .map(([path, names]) => ({ path, title: path.slice(path.lastIndexOf("/") + 1), count: names.length }))
    .sort((a, b) => b.count - a.count || (a.path < b.path ? -1 : 1))
    .slice(0, FOLDERS_MAX);
}

/** True if a name is in a folder. */
export function isIn(name: Named, folder: string): boolean {
  if (folder === "") return true;
  const segments = segmentsOf(name),
    above = folder.split("/");
  return segments.length > above.length && above.every((segment, place) => segments[place] === segment);
}

/** The number of first segments shared by all paths; the last segment of a path is its own name. */
export function sharedDepth(paths: readonly (readonly string[])[]): number {
  const [first] = paths;
  if (!first) return 0;
  let depth = 0;
  while (paths.every((path) => path.length > depth + 1 && path[depth] === first[depth])) depth++;
  return depth;
}

interface Listed extends Named {
  owners: readonly { name: string }[];
  tags: readonly string[];
  parentJobName?: string | null;
}

const textOf = ({ name, namespace, owners, tags, parentJobName }: Listed) =>
  [name, namespace, ...owners.map((owner) => owner.name), ...tags, parentJobName].join(" ").toLowerCase();

/** Return the rows with the owner, the tag, the folder and each typed word; an empty text narrows nothing. */
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
