/** State of a view, read from its URL and written to it. A URL leaves defaults out. */

export const GROUPINGS = { folder: "folder", namespace: "namespace", owner: "owner", dag: "DAG" } as const;
export type Grouping = keyof typeof GROUPINGS;

export type View =
  | ""
  | "search"
  | "map"
  | "estate"
  | "columns"
  | "impact"
  | "dataset"
  | "job"
  | "run"
  | "record"
  | "usage"
  | "jobs"
  | "datasets"
  | "coverage"
  | "recall"
  | "tests"
  | "feed";

export type Side = "up" | "down";
export type Direction = Side | "both";

export interface Moment {
  /** The past time on show, and the time to compare with. */
  at: string;
  vs: string;
}

/** "changes" while a reader steps through a comparison; "none" after the panel was closed. */
export type Panel = "" | "changes" | "none";

/** The state of each view of a picture. */
export type PictureState = ReturnType<typeof parsePicture>;
export type MapState = ReturnType<typeof parseMap>;
export type ColumnsState = ReturnType<typeof parseColumns>;

export const DEPTH_MAX = 20;
const PANELS = ["changes", "none"] as const;
const SIDES = ["up", "down"] as const;

type Value = string | number | boolean | readonly string[] | null | undefined;

/** A link to a view, relative to `explore/`; empty values mean the defaults. */
export function link(view: View, values: Record<string, Value> = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (Array.isArray(value)) for (const item of value as string[]) query.append(name, item);
    else if (value === true) query.set(name, "1");
    else if (value !== false && value !== null && value !== undefined && value !== "") query.set(name, String(value));
  }
  const text = query.toString();
  return `/${view}${text ? `?${text}` : ""}`;
}

export function parseMap(search: string) {
  const query = new URLSearchParams(search);
  const isOn = (name: string) => query.get(name) === "1";
  return {
    ...parsePicture(query, DEPTHS.map),
    /** `up:<id>` and `down:<id>`: sides opened beyond `depth`. */
    open: query.getAll("open"),
    /** Nodes picked out of a fold; `up:<id>` and `down:<id>` open a whole fold. */
    pick: query.getAll("pick"),
    all: query.getAll("all"),
    /** Hubs whose lines are drawn. */
    hub: query.getAll("hub"),
    /** Two nodes: only the paths between them are drawn. Without the first, the selected node is the first. */
    from: query.get("from") ?? "",
    to: query.get("to") ?? "",
    /** Whether the nodes beside these paths are drawn, too. */
    whole: isOn("whole"),
    /** `up:<id>` and `down:<id>`: sides opened beside these paths. */
    beside: query.getAll("beside"),
    temporary: isOn("temporary"),
    /** Whether the graph has edges between a job and the jobs it waits for. */
    dependencies: isOn("dependencies"),
    /** Whether jobs with a single output are boxes, too. */
    boxes: isOn("boxes"),
    /** What the nodes are grouped by, and the ids of open groups. */
    by: (Object.keys(GROUPINGS) as Grouping[]).find((name) => name === query.get("by")) ?? ("" as const),
    into: query.getAll("into"),
    /** Whether the panel opens with the nearest trouble upstream. */
    why: isOn("why"),
  };
}

export function mapLink(state: Partial<MapState> & { node: string }): string {
  // Without a focus it is the map of the whole estate.
  return pictureLink(state.node ? "map" : "estate", state, DEPTHS.map);
}

/** The depth of a picture whose address has none. */
const DEPTHS = { map: 1, columns: 5 };

const pictureLink = (view: View, { dir, depth, ...rest }: Partial<PictureState>, usual: number) =>
  link(view, { ...rest, dir: dir === "both" ? "" : dir, depth: depth === usual ? "" : depth });

/** The change that leaves the paths between two nodes. */
export const NO_PATHS = { from: "", to: "", whole: false, beside: [] as string[] };

const LISTS = ["open", "pick", "all", "hub", "beside", "into"] as const;
const STEPS = [...LISTS, ...(["node", "dir", "depth", "from", "to", "whole", "by"] as const)];

/** True of a change for Back to undo: of the drawn nodes, and of selecting at all. */
export function isStep<State extends { sel: string }>(state: State, change: Partial<State>): boolean {
  const [before, after] = [state, change] as [Partial<MapState>, Partial<MapState>];
  if (after.sel !== undefined && (after.sel === "") !== (before.sel === "")) return true;
  return STEPS.some((name) => after[name] !== undefined && after[name] !== before[name]);
}

export function parseColumns(search: string) {
  const query = new URLSearchParams(search);
  return { ...parsePicture(query, DEPTHS.columns), indirect: query.get("indirect") === "1" };
}

export const columnsLink = (state: Partial<ColumnsState> & { node: string }): string =>
  pictureLink("columns", state, DEPTHS.columns);

const parsePicture = (query: URLSearchParams, usual: number) => ({
  at: parseTime(query.get("at")),
  vs: parseTime(query.get("vs")),
  node: query.get("node") ?? "",
  sel: query.get("sel") ?? "",
  dir: (SIDES.find((side) => side === query.get("dir")) ?? "both") as Direction,
  depth: parseDepth(query.get("depth"), usual),
  list: query.get("list") === "1",
  panel: (PANELS.find((panel) => panel === query.get("panel")) ?? "") as Panel,
});

/** A time in the API's form; a mistyped time is left out, so the page shows the present. */
export function parseTime(text: string | null): string {
  if (!text) return "";
  const said = saidTime(text.trim().toLowerCase(), new Date());
  if (said) return said.toISOString();
  const given = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?$/.test(text)
    ? `${text.replace(" ", "T")}${text.length > 10 ? "Z" : ""}`
    : text;
  const time = Date.parse(given);
  return Number.isNaN(time) ? "" : new Date(time).toISOString();
}

const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const DAY_MS = 86_400_000;

/** The begin of a day in UTC: "yesterday", "monday" (the last), "a week ago", "3 days ago", "23.11.2026"; else null. */
function saidTime(text: string, now: Date): Date | null {
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  const [, amount, unit] = /^(a|\d{1,3}) (day|week)s? ago$/.exec(text) ?? [];
  if (amount && unit)
    return new Date(today - (amount === "a" ? 1 : Number(amount)) * (unit === "week" ? 7 : 1) * DAY_MS);
  const [, day, month, year] = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text) ?? [];
  if (day && Number(month) <= 12 && Number(day) <= 31)
    return new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  if (text === "today" || text === "yesterday") return new Date(text === "today" ? today : today - DAY_MS);
  const weekday = WEEKDAYS.indexOf(text);
  return weekday < 0 ? null : new Date(today - ((now.getUTCDay() - weekday + 7) % 7 || 7) * DAY_MS);
}

/** Return a depth of an address; the usual depth for another text. */
export function parseDepth(text: string | null, usual: number): number {
  const depth = Number(text);
  return text && Number.isInteger(depth) && depth >= 0 && depth <= DEPTH_MAX ? depth : usual;
}
