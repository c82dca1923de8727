/** The bar of times: the changes of the focus, the moment on show, and the moment to compare with. */

import "./time.css";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { getOf } from "../api/client";
import { foldedLineage, history, RUNS, type Runs, VERSIONS } from "../api/queries";
import { summaryOf } from "../model/changes";
import { fieldChanges, writeChange } from "../model/compare";
import { ago, justAfter, local, utc } from "../model/format";
import { isWide } from "../model/graph";
import { kindOf } from "../url/ids";
import { type Moment, parseTime } from "../url/state";
import { Chip } from "./controls";
import { useKeys } from "./keys";
import { Tools } from "./tools";

const TICKS_MAX = 100;
// Id of the list of proposed times.
const TIMES = "times";

type Tick = ReturnType<typeof tick>;

/** A change, and the moment just after; `same` of a version with the schema before: a night like any other. */
const tick = (time: string, label: string, failed = false, same = false) => {
  return { time, at: justAfter(time), label, failed, same };
};

/** The changes of the graph around a node; of a wide graph, and where they are too many, its versions or runs. */
async function ticksOf(node: string, depth: number, isOfGraph: boolean, signal: AbortSignal): Promise<Tick[]> {
  const changes = isOfGraph ? await history(node, depth, signal) : null;
  if (changes) return changes.map((change) => tick(change.time, summaryOf(change)));
  if (kindOf(node) === "job") {
    const { runs } = (await getOf(RUNS, node, { limit: TICKS_MAX }, signal)) as Runs;
    return runs.map(({ state, endedAt, startedAt, createdAt }) =>
      tick(endedAt ?? startedAt ?? createdAt, state.toLowerCase(), state === "FAILED" || state === "ABORTED"),
    );
  }
  const { versions } = await getOf(VERSIONS, node, { limit: TICKS_MAX }, signal);
  return versions.map(({ createdAt, failed, fields }, index) => {
    const before = versions[index + 1];
    const changes = before ? fieldChanges(before.fields, fields).map(writeChange).join(", ") : "";
    const label = failed ? "a failed version" : changes || "a version";
    return tick(createdAt, label, failed, before !== undefined && !changes);
  });
}

/** The ticks of a node. The map has loaded the folded graph already, which tells the width. */
export function useTicks(node: string, depth: number) {
  const graph = useQuery({ ...foldedLineage(node, depth), enabled: node !== "", retryOnMount: false });
  const isOfGraph = graph.data !== undefined && !isWide(graph.data);
  return useQuery({
    queryKey: ["ticks", node, depth, isOfGraph],
    queryFn: ({ signal }) => ticksOf(node, depth, isOfGraph, signal),
    enabled: graph.isFetched,
    retry: false,
    placeholderData: keepPreviousData,
  });
}

/** Place of a tick, 0 to 1: half by time and half by order, so ticks of the same night stay apart. */
function spread(ticks: readonly Tick[], index: number, now: number): number {
  const first = Date.parse(ticks[0]!.time);
  const byTime = now > first ? (Date.parse(ticks[index]!.time) - first) / (now - first) : 0;
  return 0.02 + 0.9 * (0.3 * byTime + (0.7 * (index + 0.5)) / ticks.length);
}

interface Props {
  node: string;
  /** The graph's depth in jobs: its history costs as much as the graph. */
  depth: number;
  at: string;
  vs: string;
  change: (moment: Partial<Moment>) => void;
}

export function TimeBar({ node, depth, at, vs, change }: Props) {
  const { data = [], isPending, error, refetch } = useTicks(node, depth);
  const ticks = useMemo(
    () => [...new Map(data.map((tick) => [tick.time, tick])).values()].sort((a, b) => (a.time < b.time ? -1 : 1)),
    [data],
  );
  const step = (forward: boolean) => {
    const here = at || new Date().toISOString();
    const next = forward ? ticks.find((tick) => tick.at > here) : [...ticks].reverse().find((tick) => tick.at < here);
    if (next) change({ at: next.at });
    else if (forward) change({ at: "" });
  };
  useKeys({ "[": () => step(false), "]": () => step(true) });
  return (
    <section className="time" aria-label="time">
      <Tools
        title={
          <>
            {at ? `As of ${utc(at).slice(0, 16)}` : "Now"}
            {vs && `, since ${utc(vs).slice(0, 16)}`} · times
          </>
        }
        of="times"
      >
        <datalist id={TIMES}>
          {["yesterday", "monday", "a week ago", "30 days ago"].map((time) => (
            <option key={time} value={time} />
          ))}
        </datalist>
        <TimeField label="As of" value={at} none="now" set={(time) => change({ at: time })} />
        <span className="ends" role="status">
          {ticks.length > 0 ? (
            utc(ticks[0]!.time).slice(0, 16)
          ) : isPending ? (
            "looking for changes…"
          ) : error ? (
            <>
              changes are not known <Chip press={() => void refetch()}>again</Chip>
            </>
          ) : (
            ""
          )}
        </span>
        <Track ticks={ticks} at={at} vs={vs} change={change} />
        <span className="ends">now</span>
        <TimeField label="Compare with" value={vs} none="nothing" set={(time) => change({ vs: time })} />
      </Tools>
    </section>
  );
}

function Track({ ticks, at, vs, change }: { ticks: readonly Tick[] } & Pick<Props, "at" | "vs" | "change">) {
  const now = Date.now();
  return (
    <div className="track">
      {ticks.map((tick, index) => (
        <button
          key={tick.time}
          className={`tick${tick.failed ? " failed" : tick.same ? " same" : ""}${vs === tick.at ? " vs" : ""}`}
          style={{ left: `${spread(ticks, index, now) * 100}%` }}
          aria-pressed={at === tick.at}
          aria-label={`${tick.label}, ${utc(tick.time)} UTC`}
          title={`${tick.label}, ${ago(tick.time, now)}\n${utc(tick.time)} UTC\n${local(tick.time)}\nShift: compare with it`}
          onClick={(event) => change(event.shiftKey ? { vs: tick.at } : { at: tick.at })}
        />
      ))}
    </div>
  );
}

interface TimeFieldProps {
  label: string;
  value: string;
  none: string;
  set: (time: string) => void;
}

function TimeField({ label, value, none, set }: TimeFieldProps) {
  const shown = value ? utc(value) : "";
  const [typed, setTyped] = useState(shown);
  useEffect(() => setTyped(shown), [shown]);
  const time = parseTime(typed);
  const bad = typed.trim() !== "" && !time;
  const take = () => (typed === shown || bad ? undefined : set(time));
  return (
    <label className="ends">
      {label}{" "}
      <input
        className="field"
        list={TIMES}
        value={typed}
        placeholder={none}
        aria-invalid={bad}
        title={
          bad
            ? "must be a time, such as 2025-11-20 12:00:00"
            : local(value) || "a time in UTC, such as 2025-11-20 12:00:00"
        }
        onChange={(event) => setTyped(event.target.value)}
        onBlur={take}
        onKeyDown={(event) => (event.key === "Enter" ? take() : event.key === "Escape" ? setTyped(shown) : undefined)}
      />
    </label>
  );
}
