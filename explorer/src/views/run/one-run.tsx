/** All that is known of one run; another may stand beside it. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { errorOf, jobRuns, type RawEvent, type Run, runEvents } from "../../api/queries";
import { OF_LOAD, OF_OUTPUT } from "../../features";
import { count, utc } from "../../model/format";
import { rowsOf } from "../../model/rows";
import { textOfSubset } from "../../model/subset";
import { Counted, LinkButton } from "../../parts/controls";
import { ErrorText } from "../../parts/error-text";
import { Facets, Loaded, NodeLink } from "../../parts/frame";
import { useReader } from "../../parts/me";
import { SignOf } from "../../parts/signs";
import { datasetId, jobId } from "../../url/ids";
import { link, mapLink } from "../../url/state";
import { useRun } from "./data";
import { RunFacts } from "./facts";

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
  const { can } = useReader();
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

function Events({ id }: { id: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="card" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <b>As they were sent, oldest first</b>
      </summary>
      {isOpen && <Sent id={id} />}
    </details>
  );
}

function Sent({ id }: { id: string }) {
  const result = useQuery(runEvents(id));
  return (
    <Loaded of={result} rows={3}>
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
    </Loaded>
  );
}

/** A member's text; what an event says is shown as text, whatever the event holds. */
const textOf = (event: RawEvent, member: string) =>
  typeof event[member] === "string" ? (event[member] as string) : "";

function OneEvent({ event }: { event: RawEvent }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <b>{textOf(event, "eventType") || "no type"}</b> {utc(textOf(event, "eventTime"))} UTC{" "}
        <span className="muted small">{textOf(event, "producer")}</span>
      </summary>
      {isOpen && <pre>{JSON.stringify(event, null, 2)}</pre>}
    </details>
  );
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

/** The part that the run used, as OpenLineage's facet `subset` has it. */
const partOf = (use: Uses[number]) => textOfSubset((use.facets as Record<string, unknown>)["subset"]);
