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

export interface MapState extends Moment {
  node: string;
  dir: Direction;
  depth: number;
  /** `up:<id>` and `down:<id>`: sides opened beyond `depth`. */
  open: string[];
  /** Nodes picked out of a fold; `up:<id>` and `down:<id>` open a whole fold. */
  pick: string[];
  all: string[];
  /** Hubs whose lines are drawn. */
  hub: string[];
  sel: string;
  /** Two nodes: only the paths between them are drawn. Without the first, the selected node is the first. */
  from: string;
  to: string;
  /** Whether the nodes beside these paths are drawn, too. */
  whole: boolean;
  /** `up:<id>` and `down:<id>`: sides opened beside these paths. */
  beside: string[];
  list: boolean;
  temporary: boolean;
  /** Whether the graph has edges between a job and the jobs it waits for. */
  dependencies: boolean;
  /** Whether jobs with a single output are boxes, too. */
  boxes: boolean;
  /** What the nodes are grouped by, and the ids of open groups. */
  by: Grouping | "";
  into: string[];
  /** Whether the panel opens with the nearest trouble upstream. */
  why: boolean;
  panel: Panel;
}

export interface ColumnsState extends Moment {
  node: string;
  sel: string;
  dir: Direction;
  depth: number;
  indirect: boolean;
  list: boolean;
  panel: Panel;
}

export const DEPTH_MAX = 20;
const PANELS = ["changes", "none"] as const;

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

export function parseMap(search: string): MapState {
  const query = new URLSearchParams(search);
  return {
    ...parseMoment(query),
    node: query.get("node") ?? "",
    dir: parseDirection(query.get("dir")),
    depth: parseDepth(query.get("depth"), 1),
    open: query.getAll("open"),
    pick: query.getAll("pick"),
    all: query.getAll("all"),
    hub: query.getAll("hub"),
    sel: query.get("sel") ?? "",
    from: query.get("from") ?? "",
    to: query.get("to") ?? "",
    whole: query.get("whole") === "1",
    beside: query.getAll("beside"),
    list: query.get("list") === "1",
    temporary: query.get("temporary") === "1",
    dependencies: query.get("dependencies") === "1",
    boxes: query.get("boxes") === "1",
    by: (Object.keys(GROUPINGS) as Grouping[]).find((name) => name === query.get("by")) ?? "",
    into: query.getAll("into"),
    why: query.get("why") === "1",
    panel: parsePanel(query),
  };
}

export function mapLink(state: Partial<MapState> & { node: string }): string {
  const { dir, depth, ...rest } = state;
  // Without a focus it is the map of the whole estate.
  return link(rest.node ? "map" : "estate", {
    ...rest,
    dir: dir === "both" ? "" : dir,
    depth: depth === 1 ? "" : depth,
  });
}

/** The change that leaves the paths between two nodes. */
export const NO_PATHS = { from: "", to: "", whole: false, beside: [] as string[] };

const STEPS = [
  "node",
  "dir",
  "depth",
  "open",
  "pick",
  "all",
  "hub",
  "from",
  "to",
  "whole",
  "beside",
  "by",
  "into",
] as const;

/** True of a change for Back to undo: of the drawn nodes, and of selecting at all. */
export function isStep<State extends { sel: string }>(state: State, change: Partial<State>): boolean {
  const [before, after] = [state, change] as [Partial<MapState>, Partial<MapState>];
  if (after.sel !== undefined && (after.sel === "") !== (before.sel === "")) return true;
  return STEPS.some((name) => after[name] !== undefined && after[name] !== before[name]);
}

export function parseColumns(search: string): ColumnsState {
  const query = new URLSearchParams(search);
  return {
    ...parseMoment(query),
    node: query.get("node") ?? "",
    sel: query.get("sel") ?? "",
    dir: parseDirection(query.get("dir")),
    depth: parseDepth(query.get("depth"), 5),
    indirect: query.get("indirect") === "1",
    list: query.get("list") === "1",
    panel: parsePanel(query),
  };
}

export function columnsLink(state: Partial<ColumnsState> & { node: string }): string {
  const { dir, depth, ...rest } = state;
  return link("columns", { ...rest, dir: dir === "both" ? "" : dir, depth: depth === 5 ? "" : depth });
}

const parsePanel = (query: URLSearchParams): Panel => PANELS.find((panel) => panel === query.get("panel")) ?? "";

function parseMoment(query: URLSearchParams): Moment {
  return { at: parseTime(query.get("at")), vs: parseTime(query.get("vs")) };
}

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

function parseDirection(text: string | null): Direction {
  return text === "up" || text === "down" ? text : "both";
}

function parseDepth(text: string | null, usual: number): number {
  const depth = Number(text);
  return text && Number.isInteger(depth) && depth >= 0 && depth <= DEPTH_MAX ? depth : usual;
}
