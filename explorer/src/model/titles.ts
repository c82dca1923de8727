/** Names for people: short, but different within a picture; the place of each thing, and the sign of its store. */

import { nameOf } from "../url/ids";

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

interface Store {
  name: string;
  /** The `d` of the sign's lines. */
  path: string;
}

const BUCKET = "M2.8 4.2h10.4l-1.5 9H4.3zM3.2 7.4h9.6";
const CLOUD = "M4.6 12.6a3 3 0 0 1-.3-6A4 4 0 0 1 12 6.8a2.9 2.9 0 0 1-.4 5.8z";
const DRUM = "M2.8 4.2c0-2.2 10.4-2.2 10.4 0s-10.4 2.2-10.4 0v7.6c0 2.2 10.4 2.2 10.4 0V4.2";
const BARS = "M3.5 13.5V9M8 13.5v-11M12.5 13.5V6";

/** The stores by scheme. OpenLineage's naming gives the schemes; the rest are names that catalogs use. */
const STORES: Readonly<Record<string, Store>> = {
  s3: { name: "S3", path: BUCKET },
  gs: { name: "Cloud Storage", path: "M5 2.8h6L14 8l-3 5.2H5L2 8zM5.8 6.6h4.4M5.8 9.4h4.4" },
  abfss: { name: "Azure storage", path: CLOUD },
  hdfs: { name: "HDFS", path: "M2.5 2.8h11v4h-11zM2.5 9.2h11v4h-11zM5 4.8h.01M5 11.2h.01" },
  dbfs: { name: "Databricks", path: "M2.5 5.2L8 2.3l5.5 2.9L8 8.1zM2.5 8L8 10.9 13.5 8M2.5 10.8L8 13.7l5.5-2.9" },
  file: { name: "files", path: "M3.8 1.8h5.4l3 3v9.4H3.8zM9.2 1.8v3h3" },
  kafka: {
    name: "Kafka",
    path: "M8 1.6a1.7 1.7 0 1 0 0 3.4 1.7 1.7 0 1 0 0-3.4M8 11a1.7 1.7 0 1 0 0 3.4A1.7 1.7 0 1 0 8 11M8 5v6M8 8h2.6M12.3 6.3a1.7 1.7 0 1 0 0 3.4 1.7 1.7 0 1 0 0-3.4",
  },
  kinesis: {
    name: "Kinesis",
    path: "M2 4.5c3-3 5 3 8 0 1-1 2.5-1 4 0M2 8.2c3-3 5 3 8 0 1-1 2.5-1 4 0M2 12c3-3 5 3 8 0 1-1 2.5-1 4 0",
  },
  snowflake: {
    name: "Snowflake",
    path: "M8 1.5v13M2.4 4.75l11.2 6.5M13.6 4.75L2.4 11.25M6 2.7L8 4.6l2-1.9M6 13.3l2-1.9 2 1.9",
  },
  bigquery: { name: "BigQuery", path: "M7 2a5 5 0 1 0 0 10A5 5 0 1 0 7 2M10.6 10.6l3.6 3.6M5 8.6V7M7 9.4V4.6M9 8.6V6" },
  redshift: { name: "Redshift", path: "M8 1.8l4.8 2.8v6.8L8 14.2l-4.8-2.8V4.6zM8 5v6M5.8 6.5v3M10.2 6.5v3" },
  glue: {
    name: "Glue catalog",
    path: "M3 2.5h8.5a1.5 1.5 0 0 1 1.5 1.5v9.5H4.5A1.5 1.5 0 0 1 3 12zM3 12a1.5 1.5 0 0 1 1.5-1.5H13M6 5.5h4",
  },
  trino: { name: "Trino", path: "M8 2C5 5 4 7 4 9.5a4 4 0 0 0 8 0C12 7 11 5 8 2zM6.5 9v1M9.5 9v1" },
  delta: { name: "Delta", path: "M8 2.2L1.8 13.2h12.4zM8 6.8l-2.3 4h4.6z" },
  iceberg: { name: "Iceberg", path: "M1.5 8.8h13M4.8 8.8l2-5.3 1.8 1 2.8 4.3M3.8 8.8L7 14l5.4-5.2" },
  hudi: { name: "Hudi", path: "M2.5 6L8 2.5 13.5 6M2.5 10L8 6.5l5.5 3.5M2.5 14L8 10.5l5.5 3.5" },
  postgres: { name: "PostgreSQL", path: `${DRUM}M2.8 8c0 2.2 10.4 2.2 10.4 0` },
  mysql: { name: "MySQL", path: `${DRUM}M5.2 10.5c1.5-2 2.5 1.5 5.6-1.2` },
  oracle: { name: "Oracle", path: "M5.8 4h4.4a4 4 0 0 1 0 8H5.8a4 4 0 0 1 0-8z" },
  mssql: { name: "SQL Server", path: `${DRUM}M5.5 8v3.5M8 8.5V12M10.5 8v3.5` },
  dynamodb: { name: "DynamoDB", path: `${DRUM}M8.8 6.8L6.6 9.5h2.8L7.2 12.2` },
  mongodb: { name: "MongoDB", path: "M8 1.5c3.7 3.5 3.7 7.5 0 10.6-3.7-3.1-3.7-7.1 0-10.6zM8 6v8.5" },
  cassandra: { name: "Cassandra", path: "M1.5 8C4.5 3 11.5 3 14.5 8c-3 5-10 5-13 0zM8 6a2 2 0 1 0 0 4 2 2 0 1 0 0-4" },
  elasticsearch: { name: "Elasticsearch", path: "M3.5 3.5h8M3.5 8h9.5M3.5 12.5h8" },
  looker: {
    name: "Looker",
    path: "M8 5.8a4.2 4.2 0 1 0 0 8.4 4.2 4.2 0 1 0 0-8.4M8 1.7a1.3 1.3 0 1 0 0 2.6 1.3 1.3 0 1 0 0-2.6",
  },
  tableau: {
    name: "Tableau",
    path: "M8 4.5v7M4.5 8h7M3 2v3M1.5 3.5h3M13 2v3M11.5 3.5h3M3 11v3M1.5 12.5h3M13 11v3M11.5 12.5h3",
  },
  powerbi: { name: "Power BI", path: BARS },
  dashboard: { name: "dashboards", path: "M2.5 2.5h11v11h-11zM5 11V8.5M8 11V5M11 11V7" },
  http: { name: "web", path: "M8 2a6 6 0 1 0 0 12A6 6 0 1 0 8 2M2 8h12M8 2c-4 4-4 8 0 12 4-4 4-8 0-12" },
};

/** Other spellings of a scheme. */
const SAME: Readonly<Record<string, string>> = {
  ...{ s3a: "s3", s3n: "s3", gcs: "gs", abfs: "abfss", wasb: "abfss", wasbs: "abfss", adl: "abfss" },
  ...{ postgresql: "postgres", mariadb: "mysql", sqlserver: "mssql", awsathena: "glue", hive: "glue", presto: "trino" },
  ...{ databricks: "dbfs", unitycatalog: "dbfs", mongo: "mongodb", cosmos: "mongodb", opensearch: "elasticsearch" },
  ...{ dashboards: "dashboard", quicksight: "dashboard", superset: "dashboard", metabase: "dashboard", https: "http" },
};

const OF_BOARDS: readonly string[] = ["looker", "tableau", "powerbi", "dashboard"].map((name) => STORES[name]!.name);

/** True of a store of dashboards: their names are titles, in which slashes and dots are no folders. */
export const hasTitles = (namespace: string) => OF_BOARDS.includes(storeOf(namespace)?.name ?? "");

/** Return the store of a namespace; null of an unknown scheme.
 *
 * `s3://lake`, `arn:aws:glue:eu-central-1:1` and `file` begin with their scheme.
 */
export function storeOf(namespace: string): Store | null {
  const scheme = (/^(?:arn:aws[\w-]*:)?([a-z][\w+-]*)/i.exec(namespace)?.[1] ?? "").toLowerCase();
  return STORES[SAME[scheme] ?? scheme] ?? null;
}
