// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import { inBrief, newsByDay } from "./news";

const news = (kind: string, at = "2025-11-20T12:00:00Z") => ({ kind, at });
const NEW = news("DATASET_NEW"),
  FAILS = news("JOB_FAILS"),
  CHANGED = news("SCHEMA_CHANGED", "2025-11-19T23:59:59Z");

describe("news", () => {
  it("are of the days of UTC, in their order", () => {
    expect(newsByDay([NEW, FAILS, CHANGED])).toEqual([
      ["2025-11-20", [NEW, FAILS]],
      ["2025-11-19", [CHANGED]],
    ]);
  });

  it("in brief hide no change behind many new datasets", () => {
    expect(inBrief([FAILS, NEW, NEW, NEW, NEW, CHANGED, NEW], 9)).toEqual([
      { news: FAILS, more: 0 },
      { news: NEW, more: 0 },
      { news: NEW, more: 2 },
      { news: CHANGED, more: 0 },
      { news: NEW, more: 0 },
    ]);
  });

  it("in brief are so many lines, and the last one counts the new datasets after it", () => {
    expect(inBrief([FAILS, NEW, NEW, NEW, CHANGED], 3)).toEqual([
      { news: FAILS, more: 0 },
      { news: NEW, more: 0 },
      { news: NEW, more: 1 },
    ]);
  });
});
