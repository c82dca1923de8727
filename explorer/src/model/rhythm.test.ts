import { expect, test } from "vitest";
import { completedAt, lasting, usualDurationMs, usualGap } from "./format";

const HOUR = 3_600_000;
const at = (hours: number) => new Date(Date.UTC(2025, 10, 1) + hours * HOUR).toISOString();

test.each([
  ["each night, a little late", [0, 24.3, 48, 72.5, 96], "daily"],
  ["in any order, and twice", [48, 0, 24, 24, 72], "daily"],
  ["each night but one", [0, 24, 48, 96, 120], "daily"],
  ["each hour", [0, 1, 2, 3], "hourly"],
  ["each week", [0, 168, 336, 504], "weekly"],
  ["each three hours", [0, 3, 6, 9], "every 3 hours"],
  ["each quarter of an hour", [0, 0.25, 0.5, 0.75], "every 15 minutes"],
  ["each second day", [0, 48, 96, 144], "every 2 days"],
  ["three times", [0, 24, 48], null],
  ["without a rhythm", [0, 1, 30, 31, 300, 302], null],
  ["within a second", [0, 0.0001, 0.0002, 0.0003], null],
  ["never", [], null],
])("what is written %s", (_, hours, said) => expect(usualGap(hours.map(at))).toBe(said));

test("the last ten times count", () => {
  const daily = Array.from({ length: 10 }, (_, day) => at(1_000 + 24 * day));
  const hourly = Array.from({ length: 40 }, (_, hour) => at(hour));
  expect(usualGap([...hourly, ...daily])).toBe("daily");
});

const run = (durationMs: number | null, state = "COMPLETED") => ({ state, durationMs, endedAt: at(0) });

test("runs take what those in the middle took, without failed and running ones", () => {
  expect(usualDurationMs([run(null, "RUNNING"), run(5, "FAILED"), run(60), run(90), run(10_000)])).toBe(90);
  expect(usualDurationMs([run(60), run(90)])).toBeNull();
  expect(completedAt([run(1), run(1, "FAILED")])).toEqual([at(0)]);
});

test.each([
  [40_000, "40 s"],
  [6 * 60_000 + 20_000, "6 min"],
  [13 * HOUR + 20 * 60_000, "13 h"],
  [30 * HOUR, "30 h"],
  [75 * HOUR, "3 d"],
])("%i milliseconds are %s", (ms, said) => expect(lasting(ms)).toBe(said));
