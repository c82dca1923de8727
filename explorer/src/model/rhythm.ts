/** How often something is written and how long runs take, as the last ten say: what is usual, not what is due. */

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

/** Return the times at which runs that completed ended. */
export const completedAt = (runs: readonly Timed[]): string[] =>
  runs.flatMap(({ state, endedAt }) => (state === "COMPLETED" && endedAt ? [endedAt] : []));

/** Return how long the last runs that completed took, in the middle; null of a few. */
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
