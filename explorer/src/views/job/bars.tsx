/** Runs as bars, as high as they took: the oldest first. */

import "./bars.css";

import { Link } from "wouter";

import type { Run } from "../../api/queries";
import { duration, utc } from "../../model/format";
import { link } from "../../url/state";

export function Bars({ runs, small = false }: { runs: readonly Run[]; small?: boolean }) {
  const longest = Math.max(1, ...runs.map((run) => run.durationMs ?? 0));
  return (
    <div className={small ? "bars low" : "bars"} role="list" aria-label="runs, oldest first">
      {[...runs].reverse().map((run) => (
        <Link
          key={run.id}
          role="listitem"
          className={`state-${run.state}`}
          href={link("run", { id: run.id })}
          aria-label={`${run.state.toLowerCase()}, ${utc(run.startedAt)}, ${duration(run.durationMs)}`}
          title={`${run.state.toLowerCase()}\n${utc(run.startedAt)} UTC\n${duration(run.durationMs)}`}
        >
          <i style={{ height: `${8 + 76 * ((run.durationMs ?? 0) / longest)}%` }} />
        </Link>
      ))}
    </div>
  );
}
