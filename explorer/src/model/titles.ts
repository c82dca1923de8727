/** Names for people: short, but different within a picture; and the place of each thing. */

import { nameOf } from "../url/ids";
import { hasTitles } from "./kinds";

interface Named {
  kind?: string;
  namespace: string;
  name: string;
}

export interface Title {
  title: string;
  place: string;
  /** The length of the longest end in common with another title. */
  alike: number;
}

// Parts of a path for storage alone: partitions, versions, formats, dates, files.
const STORAGE = /^([\w-]+=.*|v\d+|\d{4}(-\d{2}){0,2}|part-.*|_delta_log|data|metadata)$/i;
// Schemes whose authority is a bucket or a container; the scheme says little beside it.
const OF_BUCKETS = /^(s3[an]?|gs|abfss?|wasbs?|hdfs|dbfs|oss):\/\/([^/]+)/;
const OF_HOSTS = /^([a-z][\w+-]*):\/\/([^/:.?,]+)/i;
const PLACE_SEGMENTS_MAX = 2;

/** A name's parts, best part last, and the text between the parts. */
function partsOf({ kind, namespace, name }: Named): { parts: readonly string[]; joint: string } {
  if (kind === "job" || hasTitles(namespace)) return { parts: [name], joint: "" };
  if (!name.includes("/")) return { parts: name.split(".").every(Boolean) ? name.split(".") : [name], joint: "." };
  const all = name.split("/").filter(Boolean);
  const telling = all.filter((part) => !STORAGE.test(part));
  return { parts: telling.length ? telling : all.length ? all : [name], joint: " / " };
}

/** Return a thing's own name: of a path, the last part not for storage alone. */
export const titleOf = (thing: Named): string => {
  const { parts, joint } = partsOf(thing);
  return joint === "." ? thing.name : parts[parts.length - 1]!;
};

/** Return the title of a column or of another node by its id. */
export function titleOfId(id: string): string {
  const name = nameOf(id);
  return name.field === undefined ? titleOf(name) : `${titleOf(name)}.${name.field}`;
}

/** Return the titles and places of the things of a picture. Only equal names get equal titles. */
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
  const alike = alikeEnds(named.map(text));
  const folderOf = ({ parts, joint, taken }: (typeof named)[number]) =>
    parts.slice(0, -taken).slice(-PLACE_SEGMENTS_MAX).join(joint.trim());
  const keyOf = (title: (typeof named)[number]) => `${folderOf(title)}\n${text(title)}`;
  const keys = named.map(keyOf);
  const shared = new Set(keys.filter((key, index) => keys.indexOf(key) < index));
  return new Map(
    named.map((title) => {
      const folder = folderOf(title);
      // Of two things with the same name in the same folder, the stores differ.
      const place =
        folder && !shared.has(keyOf(title))
          ? folder
          : [folder, shortOf(title.thing.namespace)].filter(Boolean).join(" · ");
      return [title.thing.id, { title: text(title), place, alike: alike.get(text(title))! }];
    }),
  );
}

/** Return the length of each text's longest end in common with another text. */
function alikeEnds(texts: readonly string[]): Map<string, number> {
  const reversed = [...new Set(texts)].map((text) => ({ text, back: [...text].reverse().join("") }));
  reversed.sort((a, b) => (a.back < b.back ? -1 : 1));
  const shared = reversed.slice(1).map(({ back }, index) => {
    const above = reversed[index]!.back;
    let length = 0;
    while (length < back.length && back[length] === above[length]) length++;
    // A whole title differs from the end of a longer title by the sign of the cut.
    return length < Math.min(back.length, above.length) ? length : 0;
  });
  return new Map(reversed.map(({ text }, index) => [text, Math.max(shared[index - 1] ?? 0, shared[index] ?? 0)]));
}

/** Return how many of the last parts name a thing at least: a number alone, or a letter, says nothing. */
function leastOf(parts: readonly string[]): number {
  const says = [...parts].reverse().findIndex((part) => /\p{L}\P{L}*\p{L}/u.test(part));
  return says < 0 ? parts.length : says + 1;
}

/** Return a namespace in short.
 *
 * `s3://lake` is "lake", `postgres://marts.example:5432` is "postgres marts"; the rest stays.
 */
export function shortOf(namespace: string): string {
  const bucket = OF_BUCKETS.exec(namespace);
  if (bucket) return bucket[2]!.split("@")[0]!;
  const host = OF_HOSTS.exec(namespace);
  if (host) return `${host[1]} ${host[2]}`;
  return namespace.startsWith("arn:aws:glue:") ? "glue" : namespace;
}

const NEAR_CHARS = 8;

/**
 * Return the end of a name too long to fit, from a whole part if a part begins near.
 *
 * If another title ends alike, keep the difference before the end.
 */
function cut(text: string, alike: number, fits: (text: string) => boolean): string {
  if (fits(text)) return text;
  const differs = text.length - (alike < text.length ? alike : 0) - 1;
  for (let start = 1; start <= differs; start++) {
    if (!fits(`…${text.slice(start)}`)) continue;
    const part = text.slice(start, Math.min(differs, start + NEAR_CHARS)).search(/[\s./]/);
    return `…${text.slice(part < 0 ? start : start + part + 1).trimStart()}`;
  }
  const from = Math.max(0, differs - NEAR_CHARS);
  const head = `${from ? "…" : ""}${text.slice(from, differs + 1)}`;
  for (let start = differs + 2; start < text.length; start++) {
    const both = `${head}…${text.slice(start)}`;
    if (fits(both)) return both;
  }
  return text;
}

/** Return as much of a name's end as `most` characters hold. */
export const cutFront = (text: string, most: number, alike = 0): string =>
  cut(text, alike, ({ length }) => length <= most);

/** The places in a name for the end of a line. */
export const BREAKS = /(?<=[._/:=-])/;
const BREAKS_OF_LINES = /(?<=[\s._/:=-])/;

interface Room {
  lines: number;
  width: number;
  /** The part of the first line that another text has. */
  taken?: number;
  widthOf: (text: string) => number;
}

/** Return as much of a name's end as lines of a width hold, as a browser breaks them. */
export const cutToLines = (text: string, { lines, width, widthOf, taken = 0 }: Room, alike = 0): string =>
  cut(text, alike, (part) => breakLines(part, { width, widthOf, taken }).length <= lines);

/** Break a name into lines: after its parts, and within a part longer than a line. */
export function breakLines(text: string, { width, widthOf, taken = 0 }: Omit<Room, "lines">): string[] {
  const lines = [""];
  let used = taken;
  const start = () => {
    lines.push("");
    used = 0;
  };
  for (const part of text.split(BREAKS_OF_LINES)) {
    // A space at the end of a line takes no room.
    if (used > 0 && used + widthOf(part.trimEnd()) > width) start();
    const isLong = widthOf(part) > width;
    for (const piece of isLong ? part : [part]) {
      if (isLong && used + widthOf(piece) > width) start();
      lines[lines.length - 1] += piece;
      used += widthOf(piece);
    }
  }
  return lines;
}

/** The end of a file's name: its dot parts no schema from a table. */
const EXTENSION = /\.(csv|tsv|txt|json|jsonl|xml|xlsx?|parquet|orc|avro|gz|zip)$/i;

/** Return the folders or schemas of a title, and its last part. */
export function splitTitle(title: string): [string, string] {
  const slash = title.lastIndexOf(" / ");
  if (slash > 0) return [title.slice(0, slash), title.slice(slash + 3)];
  if (EXTENSION.test(title)) return ["", title];
  const dot = title.lastIndexOf(".");
  return dot > 0 && dot < title.length - 1 ? [title.slice(0, dot), title.slice(dot + 1)] : ["", title];
}
