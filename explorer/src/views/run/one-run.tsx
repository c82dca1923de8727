/** All about a run: its facts, its inputs and outputs; a second run may stand beside it. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { run as fetchRun, jobRuns, type RawEvent, type Run, runEvents } from "../../api/queries";
import { OF_LOAD, OF_OUTPUT } from "../../features";
import { parentOf, rowsOf, textOfSubset } from "../../model/facets";
import { ago, count, duration, justAfter, utc } from "../../model/format";
import { Counted, Fact, LinkButton, MainLink, MonoLink } from "../../parts/controls";
import { RunError, Running } from "../../parts/facts";
import { Asked, Facets, Head, JobLink, Loaded, NodeLink, Opened, When } from "../../parts/frame";
import { useReader } from "../../parts/reader";
import { Stale, StateOf, Tinted } from "../../parts/signs";
import { datasetId, jobId } from "../../url/ids";
import { link, mapLink } from "../../url/state";

const RUNS_MAX = 60;

export function OneRun({ id, other = "" }: { id: string; other?: string }) {
  const result = useRun(id);
  const against = useRun(other).data;
  return (
    <div>
      <Loaded of={result}>
        {(run) => (
          <>
            <Head
              sign={<Tinted look={`state-${run.state}`} of="run" />}
              word={`Run of ${run.job.name}`}
              title={run.id}
              isMono
            />
            <Actions run={run} isAlone={!other} />
            <section className="card">
              <RunFacts run={run} against={against} />
              <RunError facets={run.facets} />
            </section>
            <Versions title="Read" of={run.inputDatasetVersions} others={against?.inputDatasetVersions} />
            <Versions title="Made" of={run.outputDatasetVersions} others={against?.outputDatasetVersions} />
            <h2>Facets</h2>
            <Facets facets={run.facets} />
            <h2>Events</h2>
            <Opened look="card" title={<b>As they were sent, oldest first</b>}>
              {() => <Sent id={id} />}
            </Opened>
          </>
        )}
      </Loaded>
    </div>
  );
}

function Actions({ run, isAlone }: { run: Run; isAlone: boolean }) {
  const { can } = useReader();
  const isFailed = run.state === "FAILED" || run.state === "ABORTED";
  return (
    <div className="actions">
      {isAlone && isFailed && <LastGood run={run} />}
      <LinkButton to={mapLink({ node: jobId(run.job), at: run.endedAt ? justAfter(run.endedAt) : "" })}>
        Map at that time
      </LinkButton>
      {OF_LOAD.map(
        ([feature, view, title]) =>
          can(feature) && (
            <LinkButton key={view} to={link(view, { run: run.id })}>
              {title}
            </LinkButton>
          ),
      )}
    </div>
  );
}

/** The link to compare a failed run with the last completed run before it. */
function LastGood({ run }: { run: Run }) {
  const node = jobId(run.job);
  const { data } = useQuery(jobRuns(node, RUNS_MAX));
  const started = run.startedAt ?? run.createdAt;
  const good = data?.runs.find(
    (other) => other.state === "COMPLETED" && (other.startedAt ?? other.createdAt) < started,
  );
  return good ? <MainLink to={link("run", { id: run.id, vs: good.id })}>Against the last good run</MainLink> : null;
}

const Sent = ({ id }: { id: string }) => (
  <Asked query={runEvents(id)} rows={3}>
    {({ events, totalCount, truncated }) => (
      <>
        {events.length === 0 && <p className="muted">None is kept any more.</p>}
        {events.map((event, at) => (
          <OneEvent key={at} event={event} />
        ))}
        {(truncated || totalCount > events.length) && (
          <p className="muted">
            There are more: <code>GET /api/v1/events/lineage?runId={id}</code>
          </p>
        )}
      </>
    )}
  </Asked>
);

/** A member's text; an event's words are shown as text, whatever the event holds. */
const textOf = (event: RawEvent, member: string) =>
  typeof event[member] === "string" ? (event[member] as string) : "";

function OneEvent({ event }: { event: RawEvent }) {
  const title = (
    <>
      <b>{textOf(event, "eventType") || "no type"}</b> {utc(textOf(event, "eventTime"))} UTC{" "}
      <span className="muted small">{textOf(event, "producer")}</span>
    </>
  );
  return <Opened title={title}>{() => <pre>{JSON.stringify(event, null, 2)}</pre>}</Opened>;
}

type Uses = Run["inputDatasetVersions"] | Run["outputDatasetVersions"];

function Versions({ title, of, others }: { title: string; of: Uses; others?: Uses | undefined }) {
  const { can } = useReader();
  const key = (use: Uses[number]) => `${datasetId(use.datasetVersionId)}#${use.datasetVersionId.version}`;
  const known = new Set(others?.map(key)),
    names = new Set(others?.map((use) => datasetId(use.datasetVersionId)));
  return (
    <section className="card">
      <Counted title={title} of={of.length} />
      {of.length === 0 && <p className="muted">nothing was reported</p>}
      <ul className="plain">
        {of.map((use) => {
          const id = datasetId(use.datasetVersionId);
          return (
            <li key={key(use)}>
              <NodeLink id={id} name={use.datasetVersionId.name} where={use.datasetVersionId.namespace} />{" "}
              <span className="mono muted">#{use.datasetVersionId.version.slice(0, 8)}</span>
              {others && !names.has(id) && <span className="added"> + only here</span>}
              {others && names.has(id) && !known.has(key(use)) && <span className="changed"> ~ another version</span>}
              {rowsOf(use) !== null && <span className="muted"> · {count(rowsOf(use) ?? 0)} rows</span>}
              {partOf(use) !== null && <span className="muted"> · {partOf(use)}</span>}
              {OF_OUTPUT.map(([feature, Part]) => can(feature) && <Part key={feature} use={use} />)}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** The part in use by the run, as OpenLineage's facet `subset` has it. */
const partOf = (use: Uses[number]) => textOfSubset((use.facets as Record<string, unknown>)["subset"]);

/** A run; without an id, nothing is fetched. */
export const useRun = (id: string) => useQuery({ ...fetchRun(id), enabled: id !== "" });

/** A run, and the run beside it. */
interface RunOf {
  run: Run;
  against: Run | undefined;
}

function RunFacts({ run, against }: RunOf) {
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

/** The attempts of a run with starts after its end. */
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

const Times = ({ run: { startedAt, endedAt } }: Pick<RunOf, "run">) => (
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

/** True of a time shown as "2 hours ago". */
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

/** The starter of a run, as OpenLineage's facet `parent` names it. */
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

// Marquez's arguments from the facet `parent`: they name another run.
const OF_PARENT: readonly string[] = ["run_id", "name", "namespace"];

const ownArguments = (run: Run) =>
  Object.entries(run.args).filter(([name]) => !parentOf(run.facets) || !OF_PARENT.includes(name));

const Argument = ({ name, value }: { name: string; value: unknown }) => (
  <>
    <dt className="mono">{name}</dt>
    <dd className="mono">{typeof value === "string" ? value : JSON.stringify(value)}</dd>
  </>
);
