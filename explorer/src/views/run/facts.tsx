/** The facts of a run: its state, job, times and arguments, and the run that started it. */

import { Link } from "wouter";

import type { Run } from "../../api/queries";
import { parentOf } from "../../model/facets";
import { ago, duration, utc } from "../../model/format";
import { Fact, MonoLink } from "../../parts/controls";
import { JobLink, When } from "../../parts/frame";
import { Running } from "../../parts/running";
import { Stale, StateOf } from "../../parts/signs";
import { jobId } from "../../url/ids";
import { link } from "../../url/state";

/** A run, and the one beside it. */
interface Of {
  run: Run;
  against: Run | undefined;
}

export function RunFacts({ run, against }: Of) {
  return (
    <dl className="facts">
      <Fact of="State">
        {run.state === "RUNNING" ? (
          <Running job={jobId(run.job)} startedAt={run.startedAt} />
        ) : (
          <StateOf state={run.state} />
        )}
      </Fact>
      <Fact of="Job" is={<JobLink job={run.job} />} />
      <Times run={run} />
      {run.attempts && <Attempts attempts={run.attempts} />}
      {run.lineageIncomplete && (
        <Fact of="Lineage">
          <Stale>incomplete</Stale>: its producer could not read all of it <Reasons facets={run.facets} />
        </Fact>
      )}
      <Fact of="Took">
        {duration(run.durationMs)} <Difference mine={run.durationMs} others={against?.durationMs ?? null} />
      </Fact>
      {run.jobVersion && (
        <Fact of="Job version" isMono>
          {run.jobVersion.version.slice(0, 8)}
          {against && against.jobVersion?.version !== run.jobVersion.version && (
            <span className="changed"> ~ another</span>
          )}
        </Fact>
      )}
      {run.nominalStartTime && <Fact of="For">{utc(run.nominalStartTime)}</Fact>}
      <PartOf facets={run.facets} />
      {ownArguments(run).map(([name, value]) => (
        <Argument key={name} name={name} value={value} />
      ))}
    </dl>
  );
}

/** The attempts of a run that started again after its end. */
const Attempts = ({ attempts }: { attempts: NonNullable<Run["attempts"]> }) => (
  <Fact of="Attempts">
    {attempts.map(({ state, startedAt, endedAt }) => (
      <div key={startedAt}>
        <StateOf state={state} /> {utc(startedAt)} UTC
        {endedAt && `, took ${duration(Date.parse(endedAt) - Date.parse(startedAt))}`}
      </div>
    ))}
  </Fact>
);

const Times = ({ run: { startedAt, endedAt } }: Pick<Of, "run">) => (
  <>
    <Fact of="Started">
      {utc(startedAt)} UTC
      {isNear(startedAt) && (
        <span className="muted">
          , <When time={startedAt} />
        </span>
      )}
    </Fact>
    <Fact of="Ended" is={`${utc(endedAt)}${endedAt ? " UTC" : ""}`} />
  </>
);

/** True of a time that is shown as "2 hours ago". */
const isNear = (time: string | null) => ago(time, Date.now()).endsWith("ago");

function Difference({ mine, others }: { mine: number | null; others: number | null }) {
  if (mine === null || others === null || mine === others) return null;
  return (
    <span className="muted">
      ({mine > others ? "+" : "−"}
      {duration(Math.abs(mine - others))} against the other)
    </span>
  );
}

const REASONS = ["extractionError", "headwater_capture"];

/** Where the reasons of incomplete lineage stand: among the facets below. */
function Reasons({ facets }: { facets: Record<string, unknown> }) {
  const named = REASONS.filter((name) => name in facets);
  return named.length ? (
    <span className="muted">
      (facet <code>{named.join(", ")}</code>)
    </span>
  ) : null;
}

/** The run that started a run, as OpenLineage's facet `parent` names it. */
function PartOf({ facets }: { facets: Record<string, unknown> }) {
  const parent = parentOf(facets);
  if (!parent) return null;
  return (
    <Fact of="Part of">
      <Link href={link("job", { node: jobId(parent.job) })}>{parent.job.name}</Link>,{" "}
      <MonoLink to={link("run", { id: parent.run })} title={parent.run}>
        run {parent.run.slice(0, 8)}…
      </MonoLink>
    </Fact>
  );
}

// Arguments that Marquez makes of the facet `parent`: they name another run.
const OF_PARENT: readonly string[] = ["run_id", "name", "namespace"];

const ownArguments = (run: Run) =>
  Object.entries(run.args).filter(([name]) => !parentOf(run.facets) || !OF_PARENT.includes(name));

const Argument = ({ name, value }: { name: string; value: unknown }) => (
  <>
    <dt className="mono">{name}</dt>
    <dd className="mono">{typeof value === "string" ? value : JSON.stringify(value)}</dd>
  </>
);
