/** How values are written for people: short times, durations, numbers, names cut in the middle. */

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
