/** All that is known of one run; another may stand beside it. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";

import { errorOf, jobRuns, type Run } from "../../api/queries";
import { ErrorText } from "../../parts/error-text";
import { Facets, Loaded } from "../../parts/frame";
import { SignOf } from "../../parts/signs";
import { jobId } from "../../url/ids";
import { link, mapLink } from "../../url/state";
import { useRun } from "./data";
import { Events } from "./events";
import { RunFacts } from "./facts";
import { Versions } from "./versions";

const RUNS_MAX = 60;

export function OneRun({ id, other = "" }: { id: string; other?: string }) {
  const result = useRun(id);
  const against = useRun(other).data;
  return (
    <div>
      <Loaded of={result}>
        {(run) => (
          <>
            <Head run={run} />
            <Actions run={run} isAlone={!other} />
            <section className="card">
              <RunFacts run={run} against={against} />
              <RunError run={run} />
            </section>
            <Versions title="Read" of={run.inputDatasetVersions} others={against?.inputDatasetVersions} />
            <Versions title="Made" of={run.outputDatasetVersions} others={against?.outputDatasetVersions} />
            <h2>Facets</h2>
            <Facets facets={run.facets} />
            <h2>Events</h2>
            <Events id={id} />
          </>
        )}
      </Loaded>
    </div>
  );
}

const Head = ({ run }: { run: Run }) => (
  <header className="head">
    <span className={`state-${run.state}`}>
      <SignOf of="run" />
    </span>
    <div>
      <div className="kind-word">Run of {run.job.name}</div>
      <h1 className="mono">{run.id}</h1>
    </div>
  </header>
);

function Actions({ run, isAlone }: { run: Run; isAlone: boolean }) {
  const isFailed = run.state === "FAILED" || run.state === "ABORTED";
  return (
    <div className="actions">
      {isAlone && isFailed && <LastGood run={run} />}
      <Link
        className="button"
        href={mapLink({
          node: jobId(run.job),
          at: run.endedAt ? new Date(Date.parse(run.endedAt) + 1).toISOString() : "",
        })}
      >
        Map at that time
      </Link>
    </div>
  );
}

/** The link that compares a failed run with the last one before it that completed. */
function LastGood({ run }: { run: Run }) {
  const node = jobId(run.job);
  const { data } = useQuery(jobRuns(node, RUNS_MAX));
  const started = run.startedAt ?? run.createdAt;
  const good = data?.runs.find(
    (other) => other.state === "COMPLETED" && (other.startedAt ?? other.createdAt) < started,
  );
  return good ? (
    <Link className="button main" href={link("run", { id: run.id, vs: good.id })}>
      Against the last good run
    </Link>
  ) : null;
}

function RunError({ run }: { run: Run }) {
  const error = errorOf(run.facets);
  if (error === null) return null;
  return (
    <>
      <h2 className="removed">✕ Error</h2>
      <ErrorText text={error} />
    </>
  );
}
