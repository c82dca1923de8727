/** Names for people: the shortest that tell the things of one picture apart, beside the place of each. */

import { nameOf } from "../url/ids";

interface Named {
  kind?: string;
  namespace: string;
  name: string;
}

export interface Title {
  title: string;
  place: string;
}

// Parts of a path that are how a table is stored: partitions, versions, formats, dates, files.
const STORAGE = /^([\w-]+=.*|v\d+|\d{4}(-\d{2}){0,2}|part-.*|_delta_log|data|metadata)$/i;
// Schemes whose authority is a bucket or a container; the scheme says little beside it.
const OF_BUCKETS = /^(s3[an]?|gs|abfss?|wasbs?|hdfs|dbfs|oss):\/\/([^/]+)/;
const OF_HOSTS = /^([a-z][\w+-]*):\/\/([^/:.?,]+)/i;
const PLACE_SEGMENTS_MAX = 2;

/** A name's parts, the last of which names it best, and what joins them. */
function partsOf({ kind, name }: Named): { parts: readonly string[]; joint: string } {
  if (kind === "job") return { parts: [name], joint: "" };
  if (!name.includes("/")) return { parts: name.split(".").every(Boolean) ? name.split(".") : [name], joint: "." };
  const all = name.split("/").filter(Boolean);
  const telling = all.filter((part) => !STORAGE.test(part));
  return { parts: telling.length ? telling : all.length ? all : [name], joint: " / " };
}

/** Return the name of a thing by itself: of a path, its last part that is no detail of its storage. */
export const titleOf = (thing: Named): string => {
  const { parts, joint } = partsOf(thing);
  return joint === "." ? thing.name : parts[parts.length - 1]!;
};

/** Return the title of a column, or of any other node, by its id. */
export function titleOfId(id: string): string {
  const name = nameOf(id);
  return name.field === undefined ? titleOf(name) : `${titleOf(name)}.${name.field}`;
}

/** Return the titles of the things of one picture, and their places; two share a title only if their whole names are equal. */
export function titlesOf(things: Iterable<Named & { id: string }>): Map<string, Title> {
  const named = [...things].map((thing) => {
    const { parts, joint } = partsOf(thing);
    return { thing, parts, joint, taken: leastOf(parts) };
  });
  const text = ({ parts, joint, taken }: (typeof named)[number]) => parts.slice(-taken).join(joint);
  for (let isLonger = true; isLonger; ) {
    const counts = new Map<string, number>();
    for (const title of named) counts.set(text(title), (counts.get(text(title)) ?? 0) + 1);
    const alike = named.filter((title) => counts.get(text(title))! > 1 && title.taken < title.parts.length);
    for (const title of alike) title.taken += 1;
    isLonger = alike.length > 0;
  }
  return new Map(
    named.map((title) => [
      title.thing.id,
      { title: text(title), place: placeOf(title.thing, title.parts.slice(0, -title.taken), title.joint) },
    ]),
  );
}

/** Return how many of the last parts name a thing at least: a number alone, or a letter, says nothing. */
function leastOf(parts: readonly string[]): number {
  const says = [...parts].reverse().findIndex((part) => /\p{L}\P{L}*\p{L}/u.test(part));
  return says < 0 ? parts.length : says + 1;
}

/** Return where a thing is: the last folders that its title lacks, and its store. */
function placeOf({ namespace }: Named, rest: readonly string[], joint: string): string {
  const folder = rest.slice(-PLACE_SEGMENTS_MAX).join(joint.trim());
  if (namespace === "file" && folder) return folder;
  return [folder, storeOf(namespace)].filter(Boolean).join(" · ");
}

/** Return a namespace in short.
 *
 * `s3://lake` is "lake", `postgres://marts.example:5432` is "postgres marts", any other word itself.
 */
function storeOf(namespace: string): string {
  const bucket = OF_BUCKETS.exec(namespace);
  if (bucket) return bucket[2]!.split("@")[0]!;
  const host = OF_HOSTS.exec(namespace);
  if (host) return `${host[1]} ${host[2]}`;
  return namespace.startsWith("arn:aws:glue:") ? "glue" : namespace;
}

/** Return the end of a name that is too long, which says most. */
export const cutFront = (text: string, most: number): string =>
  text.length <= most ? text : `…${text.slice(1 - most)}`;

/** What a name may break after, where a line ends. */
export const BREAKS = /(?<=[._/:=-])/;
const BREAKS_OF_LINES = /(?<=[\s._/:=-])/;

/** Return as much of a name's end as fits into so many lines, as a browser breaks them; `widthOf` measures a text. */
export function cutToLines(text: string, most: number, width: number, widthOf: (text: string) => number): string {
  for (let start = 0; start < text.length; start++) {
    const end = start ? `…${text.slice(start)}` : text;
    if (countLines(end, width, widthOf) <= most) return end;
  }
  return text;
}

/** Return how many lines a name takes that breaks after its parts, and within a part that is longer than a line. */
function countLines(text: string, width: number, widthOf: (text: string) => number): number {
  let lines = 1,
    used = 0;
  for (const part of text.split(BREAKS_OF_LINES)) {
    // A space at the end of a line takes no room.
    if (used > 0 && used + widthOf(part.trimEnd()) > width) {
      lines += 1;
      used = 0;
    }
    used += widthOf(part);
    while (used > width) {
      lines += 1;
      used -= width;
    }
  }
  return lines;
}

/** The end of a file's name: its dot parts no schema from a table. */
const EXTENSION = /\.(csv|tsv|txt|json|jsonl|xml|xlsx?|parquet|orc|avro|gz|zip)$/i;

/** Return the folders or schemas of a title, and its last part, which says most. */
export function splitTitle(title: string): [string, string] {
  const slash = title.lastIndexOf(" / ");
  if (slash > 0) return [title.slice(0, slash), title.slice(slash + 3)];
  if (EXTENSION.test(title)) return ["", title];
  const dot = title.lastIndexOf(".");
  return dot > 0 && dot < title.length - 1 ? [title.slice(0, dot), title.slice(dot + 1)] : ["", title];
}
