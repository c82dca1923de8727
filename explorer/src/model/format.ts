/** How values are written for people: short times, durations, numbers, names cut in the middle; usual times of runs. */

const STEPS: readonly [number, string][] = [
  [60, "second"],
  [60, "minute"],
  [24, "hour"],
  [31, "day"],
];

/** Return "2 hours ago", and the day (UTC) of a time more than a month ago; `now` is in milliseconds. */
export function ago(time: string | null, now: number): string {
  if (!time) return "never";
  const gone = (now - Date.parse(time)) / 1000;
  if (gone < 5) return gone < -60 ? "in the future" : "just now";
  let value = gone;
  for (const [size, unit] of STEPS) {
    const whole = Math.floor(value);
    if (value < size) return `${whole} ${unit}${whole === 1 ? "" : "s"} ago`;
    value /= size;
  }
  return utc(time).slice(0, 10);
}

/** Return "2 hours ago"; of an earlier day, "11 days ago (9 Nov)". */
export function agoOn(time: string, now: number): string {
  const text = ago(time, now);
  return / days? ago$/.test(text) ? `${text} (${since(time, now)})` : text;
}

/** Return the whole days until a time, 0 of a time in the past; `now` is in milliseconds. */
export const daysUntil = (time: string, now: number) => Math.max(0, Math.floor((Date.parse(time) - now) / 86_400_000));

/** The moment after a time: a browser counts whole milliseconds. */
export const justAfter = (time: string) => new Date(Date.parse(time) + 1).toISOString();

/** "2025-11-20 12:00:00" in UTC. */
export function utc(time: string | null): string {
  return time ? new Date(time).toISOString().replace("T", " ").slice(0, 19) : "–";
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Return a day in UTC as "22 Nov", with the year if it is another, and the time of today as "02:12". */
export function since(time: string, now: number): string {
  const [day, today] = [utc(time).slice(0, 10), new Date(now).toISOString().slice(0, 10)];
  if (day === today) return utc(time).slice(11, 16);
  const [year, month, number] = day.split("-");
  const short = `${Number(number)} ${MONTHS[Number(month) - 1]}`;
  return today.startsWith(`${year}-`) ? short : `${short} ${year}`;
}

/** The reader's own time, for a title on hover. */
export function local(time: string | null): string {
  return time ? `${new Date(time).toLocaleString()} in your time zone` : "";
}

export function duration(ms: number | null): string {
  if (ms === null) return "–";
  if (ms < 1000) return `${ms} ms`;
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  const s = Math.round(ms / 1000);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  const minutes = Math.round(s / 60);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Name a caller of the API: `token:ab12` as `token ab12`, an ARN by its end. */
export const callerName = (caller: string) =>
  caller.startsWith("arn:") ? caller.slice(caller.lastIndexOf(":") + 1) : caller.replace(":", " ");

export const count = (value: number) => value.toLocaleString("en-US");

export function plural(value: number, singular: string, many = `${singular}s`): string {
  return `${count(value)} ${value === 1 ? singular : many}`;
}

const UNITS: Record<string, string> = { second: "s", minute: "min", hour: "h", day: "d" };

/** Return "2 h ago", for where there is little room. */
export function agoShort(time: string | null, now: number): string {
  return ago(time, now).replace(/ (second|minute|hour|day)s? /, (_, unit: string) => ` ${UNITS[unit] ?? unit} `);
}

const AGES: readonly [number, string][] = [
  [60, "s"],
  [60, "min"],
  [24, "h"],
  [30.4, "d"],
  [12, "mo"],
  [Infinity, "y"],
];

/** Return "3 d", the age beside a title; `now` is in milliseconds. */
export function age(time: string, now: number): string {
  let value = Math.max(0, (now - Date.parse(time)) / 1000);
  for (const [size, unit] of AGES) {
    if (value < size) return `${Math.floor(value)} ${unit}`;
    value /= size;
  }
  return "";
}

/** A name of at most so many characters: its begin and its end say most. */
export function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = Math.ceil((most - 1) / 2);
  return `${text.slice(0, head)}…${text.slice(text.length - (most - 1 - head))}`;
}

// -- usual times and durations, of the last ten

const LAST = 10,
  LEAST = 4;
const MINUTE_MS = 60_000,
  HOUR_MS = 60 * MINUTE_MS,
  DAY_MS = 24 * HOUR_MS;
const NAMED: readonly [number, string][] = [
  [HOUR_MS, "hourly"],
  [DAY_MS, "daily"],
  [7 * DAY_MS, "weekly"],
];
// A gap within these shares of another is like it.
const LIKE_LOW = 0.5,
  LIKE_HIGH = 1.5,
  NAMED_SHARE = 0.2;

interface Timed {
  state: string;
  startedAt?: string | null | undefined;
  endedAt?: string | null | undefined;
  durationMs: number | null;
}

/** Return "daily" or "every 3 hours" by the median gap of the last times; null of few or of unlike gaps. */
export function usualGap(times: readonly string[]): string | null {
  const last = [...new Set(times.map(Date.parse))].sort((a, b) => b - a).slice(0, LAST);
  const gaps = last.slice(1).map((time, place) => last[place]! - time);
  if (last.length < LEAST) return null;
  const usual = median(gaps);
  const alike = gaps.filter((gap) => gap >= usual * LIKE_LOW && gap <= usual * LIKE_HIGH);
  return alike.length * 3 >= gaps.length * 2 ? inWords(usual) : null;
}

/** Return the ends of completed runs. */
export const completedAt = (runs: readonly Timed[]): string[] =>
  runs.flatMap(({ state, endedAt }) => (state === "COMPLETED" && endedAt ? [endedAt] : []));

/** Return how long the last completed runs took, in the middle; null of a few. */
export function usualDurationMs(runs: readonly Timed[]): number | null {
  const took = runs.flatMap(({ state, durationMs }) =>
    state === "COMPLETED" && durationMs !== null ? [durationMs] : [],
  );
  return took.length < LEAST - 1 ? null : median(took.slice(0, LAST));
}

function inWords(gapMs: number): string | null {
  const named = NAMED.find(([size]) => Math.abs(gapMs - size) <= size * NAMED_SHARE);
  if (named) return named[1];
  return gapMs < MINUTE_MS ? null : `every ${lasting(gapMs, true)}`;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Return "13 h": a time in its largest unit; in words as "13 hours". */
export function lasting(ms: number, isLong = false): string {
  const units: readonly [number, string, string][] = [
    [2 * DAY_MS, "d", "day"],
    [HOUR_MS, "h", "hour"],
    [MINUTE_MS, "min", "minute"],
    [0, "s", "second"],
  ];
  const [, short, word] = units.find(([from]) => ms >= from) ?? units[3]!;
  const size = { d: DAY_MS, h: HOUR_MS, min: MINUTE_MS, s: 1_000 }[short]!;
  const value = Math.round(ms / size);
  return isLong ? `${value} ${word}${value === 1 ? "" : "s"}` : `${value} ${short}`;
}
