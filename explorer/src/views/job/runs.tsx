/** The last runs of a job, as bars and as a table. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";

import { errorOf, jobRuns, type Run } from "../../api/queries";
import { shortError } from "../../model/error-text";
import { count, duration, plural } from "../../model/format";
import { Heads } from "../../parts/controls";
import { Loaded, Nothing, When } from "../../parts/frame";
import { StateOf } from "../../parts/signs";
import { link } from "../../url/state";
import { Bars } from "./bars";

const RUNS_MAX = 60;

export function Runs({ node }: { node: string }) {
  const result = useQuery(jobRuns(node, RUNS_MAX));
  return (
    <Loaded of={result}>
      {({ runs, totalCount }) =>
        runs.length === 0 ? (
          <Nothing title="It never ran" />
        ) : (
          <section className="card">
            <p className="muted">
              {plural(totalCount, "run")}
              {totalCount > runs.length && `; the newest ${count(runs.length)} are here`}. A bar’s height is how long it
              took.
            </p>
            <Bars runs={runs} />
            <RunTable runs={runs} />
          </section>
        )
      }
    </Loaded>
  );
}

/** A table of runs, the newest first. */
function RunTable({ runs }: { runs: readonly Run[] }) {
  return (
    <table className="table">
      <Heads names={["State", "Started", "Took", "Run", "Error", "See"]} numbers={["Took"]} />
      <tbody>
        {runs.map((run, index) => (
          <tr key={run.id}>
            <td className="fixed">
              <StateOf state={run.state} />
            </td>
            <td className="fixed">
              <When time={run.startedAt ?? run.createdAt} />
            </td>
            <td className="number fixed">{duration(run.durationMs)}</td>
            <td className="mono">
              <Link href={link("run", { id: run.id })}>{run.id}</Link>
            </td>
            <td>
              {shortError(errorOf(run.facets) ?? "")
                .split("\n")
                .pop()
                ?.slice(0, 160)}
            </td>
            <td className="fixed">
              <Against run={run} before={runs.slice(index + 1)} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A comparison of a run: of a failed one with the last that completed, of others with the one before. */
function Against({ run, before }: { run: Run; before: readonly Run[] }) {
  const isFailed = run.state === "FAILED" || run.state === "ABORTED";
  const other = isFailed ? before.find(({ state }) => state === "COMPLETED") : before[0];
  return other ? (
    <Link href={link("run", { id: run.id, vs: other.id })}>
      against the {isFailed ? "last good one" : "one before"}
    </Link>
  ) : null;
}
