/** A run: what it read and made, its error, its facets; with a second one beside it. */

import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "wouter";

import { childRuns } from "../../api/family-queries";
import { downstreamRuns, errorOf, run as fetchRun, jobRuns, type Run, upstreamRuns } from "../../api/queries";
import { ago, count, duration, utc } from "../../model/format";
import { parentOf } from "../../model/parent";
import { rowsOf } from "../../model/rows";
import { rankOf } from "../../model/states";
import { textOfSubset } from "../../model/subset";
import { ErrorText } from "../../parts/error-text";
import { Facets, JobLink, Loaded, NodeLink, Nothing, useTitle, When } from "../../parts/frame";
import { Running } from "../../parts/running";
import { SignOf, StateOf } from "../../parts/signs";
import { type ColumnOf, LongTable } from "../../parts/table";
import { datasetId, jobId } from "../../url/ids";
import { link, mapLink, type Side } from "../../url/state";
import { Differences } from "./differences";
import { Events } from "./events";

const RUNS_MAX = 60;

export function RunView() {
  const query = new URLSearchParams(useSearch());
  const [id, vs] = [query.get("id") ?? "", query.get("vs") ?? ""];
  useTitle("Run");
  if (!id) return <Nothing title="No run is chosen" />;
  return (
    <div className="page" style={vs ? { maxWidth: 1500 } : undefined}>
      {vs ? (
        <>
          <div className="actions">
            <h1>Two runs side by side</h1>
            <Link className="button push" href={link("run", { id })}>
              Only the first
            </Link>
          </div>
          <BothRuns id={id} vs={vs} />
          <div className="columns2">
            <OneRun id={id} other={vs} />
            <OneRun id={vs} other={id} />
          </div>
        </>
      ) : (
        <>
          <OneRun id={id} />
          <StartedRuns id={id} />
          <div className="columns2 even">
            <LinkedRuns id={id} side="up" />
            <LinkedRuns id={id} side="down" />
          </div>
        </>
      )}
    </div>
  );
}

/** The link that compares a failed run with the last one before it that completed. */
function LastGood({ run }: { run: Run }) {
  const node = jobId(run.job);
  const { data } = useQuery({
    queryKey: ["runs", node, RUNS_MAX],
    queryFn: ({ signal }) => jobRuns(node, RUNS_MAX, signal),
  });
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

/** True of a time that is shown as "2 hours ago". */
const isNear = (time: string | null) => ago(time, Date.now()).endsWith("ago");

const useRun = (id: string) =>
  useQuery({ queryKey: ["run", id], queryFn: ({ signal }) => fetchRun(id, signal), enabled: id !== "" });

function OneRun({ id, other = "" }: { id: string; other?: string }) {
  const result = useRun(id),
    against = useRun(other);
  return (
    <div>
      <Loaded of={result}>
        {(run) => {
          const error = errorOf(run.facets);
          return (
            <>
              <header className="head">
                <span className={`state-${run.state}`}>
                  <SignOf of="run" />
                </span>
                <div>
                  <div className="kind-word">Run of {run.job.name}</div>
                  <h1 className="mono">{run.id}</h1>
                </div>
              </header>
              <div className="actions">
                {!other && (run.state === "FAILED" || run.state === "ABORTED") && <LastGood run={run} />}
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
              <section className="card">
                <dl className="facts">
                  <dt>State</dt>
                  <dd>
                    {run.state === "RUNNING" ? (
                      <Running job={jobId(run.job)} startedAt={run.startedAt} />
                    ) : (
                      <StateOf state={run.state} />
                    )}
                  </dd>
                  <dt>Job</dt>
                  <dd>
                    <JobLink job={run.job} />
                  </dd>
                  <dt>Started</dt>
                  <dd>
                    {utc(run.startedAt)} UTC
                    {isNear(run.startedAt) && (
                      <span className="muted">
                        , <When time={run.startedAt} />
                      </span>
                    )}
                  </dd>
                  <dt>Ended</dt>
                  <dd>
                    {utc(run.endedAt)}
                    {run.endedAt && " UTC"}
                  </dd>
                  {run.lineageIncomplete && (
                    <>
                      <dt>Lineage</dt>
                      <dd>
                        <span className="state stale">
                          <SignOf of="stale" />
                          incomplete
                        </span>
                        : its producer could not read all of it <Reasons facets={run.facets} />
                      </dd>
                    </>
                  )}
                  <dt>Took</dt>
                  <dd>
                    {duration(run.durationMs)}{" "}
                    <Difference mine={run.durationMs} others={against.data?.durationMs ?? null} />
                  </dd>
                  {run.jobVersion && (
                    <>
                      <dt>Job version</dt>
                      <dd className="mono">
                        {run.jobVersion.version.slice(0, 8)}
                        {against.data && against.data.jobVersion?.version !== run.jobVersion.version && (
                          <span className="changed"> ~ another</span>
                        )}
                      </dd>
                    </>
                  )}
                  {run.nominalStartTime && (
                    <>
                      <dt>For</dt>
                      <dd>{utc(run.nominalStartTime)}</dd>
                    </>
                  )}
                  <PartOf facets={run.facets} />
                  {ownArguments(run).map(([name, value]) => (
                    <Argument key={name} name={name} value={value} />
                  ))}
                </dl>
                {error !== null && (
                  <>
                    <h2 className="removed">✕ Error</h2>
                    <ErrorText text={error} />
                  </>
                )}
              </section>
              <Versions title="Read" of={run.inputDatasetVersions} others={against.data?.inputDatasetVersions} />
              <Versions title="Made" of={run.outputDatasetVersions} others={against.data?.outputDatasetVersions} />
              <h2>Facets</h2>
              <Facets facets={run.facets} />
              <h2>Events</h2>
              <Events id={id} />
            </>
          );
        }}
      </Loaded>
    </div>
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
    <>
      <dt>Part of</dt>
      <dd>
        <Link href={link("job", { node: jobId(parent.job) })}>{parent.job.name}</Link>,{" "}
        <Link className="mono" href={link("run", { id: parent.run })} title={parent.run}>
          run {parent.run.slice(0, 8)}…
        </Link>
      </dd>
    </>
  );
}

// Arguments that Marquez makes of the facet `parent`: they name another run.
const OF_PARENT: readonly string[] = ["run_id", "name", "namespace"];

const ownArguments = (run: Run) =>
  Object.entries(run.args).filter(([name]) => !parentOf(run.facets) || !OF_PARENT.includes(name));

/** The differences of two runs, first of all. */
function BothRuns({ id, vs }: { id: string; vs: string }) {
  const [mine, other] = [useRun(id), useRun(vs)];
  return mine.data && other.data ? <Differences mine={mine.data} other={other.data} /> : null;
}

const Argument = ({ name, value }: { name: string; value: unknown }) => (
  <>
    <dt className="mono">{name}</dt>
    <dd className="mono">{typeof value === "string" ? value : JSON.stringify(value)}</dd>
  </>
);

function Difference({ mine, others }: { mine: number | null; others: number | null }) {
  if (mine === null || others === null || mine === others) return null;
  return (
    <span className="muted">
      ({mine > others ? "+" : "−"}
      {duration(Math.abs(mine - others))} against the other)
    </span>
  );
}

type Uses = Run["inputDatasetVersions"] | Run["outputDatasetVersions"];

function Versions({ title, of, others }: { title: string; of: Uses; others?: Uses | undefined }) {
  const key = (use: Uses[number]) => `${datasetId(use.datasetVersionId)}#${use.datasetVersionId.version}`;
  const known = new Set(others?.map(key)),
    names = new Set(others?.map((use) => datasetId(use.datasetVersionId)));
  return (
    <section className="card">
      <h2>
        {title} <span className="muted">{of.length}</span>
      </h2>
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
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** The part that the run used, as OpenLineage's facet `subset` has it. */
const partOf = (use: Uses[number]) => textOfSubset((use.facets as Record<string, unknown>)["subset"]);

const STARTED_MAX = 200;

/** The runs that a run started, those that need somebody first. */
function StartedRuns({ id }: { id: string }) {
  const { data } = useQuery({
    queryKey: ["child-runs", id],
    queryFn: ({ signal }) => childRuns(id, STARTED_MAX, signal),
  });
  if (!data?.runs.length) return null;
  return (
    <section className="card" aria-label="started runs">
      <h2>
        Started <span className="muted">{count(data.totalCount)}</span>
      </h2>
      <LongTable
        label="runs that it started"
        height="420px"
        columns={STARTED}
        rows={[...data.runs].sort((first, second) => rankOf(first.state) - rankOf(second.state))}
        keyOf={(run) => run.id}
      />
      {data.totalCount > data.runs.length && (
        <p className="muted">and {count(data.totalCount - data.runs.length)} more</p>
      )}
    </section>
  );
}

const STARTED: ColumnOf<Run>[] = [
  { name: "State", by: (run) => run.state, cell: (run) => <StateOf state={run.state} /> },
  {
    name: "Job",
    by: (run) => run.job.name,
    cell: (run) => (
      <NodeLink id={jobId(run.job)} name={run.job.name} where={run.job.namespace} href={link("run", { id: run.id })} />
    ),
  },
  { name: "Started", by: (run) => run.startedAt ?? "", cell: (run) => <When time={run.startedAt} /> },
  { name: "Took", number: true, by: (run) => run.durationMs ?? -1, cell: (run) => duration(run.durationMs) },
];

const LINKED = {
  up: { title: "The runs that made what it read", load: upstreamRuns },
  down: { title: "The runs that read what it made", load: downstreamRuns },
};

function LinkedRuns({ id, side }: { id: string; side: Side }) {
  const { title, load } = LINKED[side];
  const result = useQuery({ queryKey: ["linked-runs", side, id], queryFn: ({ signal }) => load(id, signal) });
  return (
    <section className="card">
      <h2>{title}</h2>
      <Loaded of={result} rows={3}>
        {({ runs, truncated }) => {
          const others = runs.filter(({ run }) => run.id !== id);
          return (
            <>
              {others.length === 0 && <p className="muted">None is known.</p>}
              <table className="table">
                <tbody>
                  {others.map(({ run, job }) => (
                    <tr key={`${job.name} ${run.id}`}>
                      <td className="fixed">
                        <StateOf state={run.status} />
                      </td>
                      <td>{job.name}</td>
                      <td className="mono">
                        <Link href={link("run", { id: run.id })} title={run.id}>
                          {run.id.slice(0, 13)}…
                        </Link>
                      </td>
                      <td className="fixed">
                        <When time={run.end ?? run.start} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
              {truncated && <p className="muted">There are more.</p>}
            </>
          );
        }}
      </Loaded>
    </section>
  );
}
