/** The time range of a report: of the view's address, its choice, and what the report says of it. */

import { useLocation } from "wouter";

import type { Usage } from "../../api/report-queries";
import { utc } from "../../model/format";
import { Choices } from "../../parts/controls";
import { useAddress } from "../../parts/frame";
import { link } from "../../url/state";

const RANGES: readonly [string, string][] = [
  ["now-1d", "a day"],
  ["now-7d", "a week"],
  ["now-30d", "30 days"],
  ["now-365d", "a year"],
];

export function useRange(): { start: string; end: string } {
  const { start, end } = useAddress("start", "end");
  return { start: start || "now-30d", end: end || "now" };
}

export function RangeChoice({ of }: { of: { node: string } | { tag: string } }) {
  const { start } = useRange();
  const [, navigate] = useLocation();
  return (
    <Choices
      label="time range"
      among={RANGES}
      value={start}
      choose={(value) => navigate(link("usage", { ...of, start: value, end: "now" }), { replace: true })}
    />
  );
}

export function Window({ report }: { report: Pick<Usage, "window" | "truncated"> }) {
  return (
    <p className="muted">
      {utc(report.window.start)} to {utc(report.window.end)} UTC
      {report.truncated && <b className="changed"> ~ truncated: there is more than one report holds</b>}
    </p>
  );
}
