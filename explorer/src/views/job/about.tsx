/** The facts of a job: its last run and what is usual for it, whose it is, what it reads and writes. */

import { Link } from "wouter";

import type { Job } from "../../api/queries";
import { parentOf } from "../../model/facets";
import { count, duration } from "../../model/format";
import { completedAt, lasting, usualDurationMs, usualGap } from "../../model/rhythm";
import { Counted, Fact } from "../../parts/controls";
import { SetHere } from "../../parts/edit";
import { NodeLink, When } from "../../parts/frame";
import { Running } from "../../parts/running";
import { StateOf } from "../../parts/signs";
import { Owners, Tags } from "../../parts/tags";
import { datasetId, jobId } from "../../url/ids";
import { link } from "../../url/state";
import { SafeLink } from "./code";

const DATASETS_MAX = 20;

export function About({ job }: { job: Job }) {
  return (
    <div className="columns2">
      <section className="card">
        <dl className="facts">
          <LastRun job={job} />
          <Fact of="Kind">
            {job.type.toLowerCase()}
            {job.deleted && <span className="removed"> ✕ deleted</span>}
          </Fact>
          <Fact of="Owners" is={job.owners.length > 0 && <Owners owners={job.owners} />} />
          <Fact of="Tags" is={job.tags.length > 0 && <Tags names={job.tags} />} />
          <SetHere of={job} />
          <Fact of="Part of" is={job.parentJobName && <ParentLink job={job} />} />
          <Fact of="Location" is={job.location && <SafeLink url={job.location} />} />
          {job.labels.length > 0 && (
            <Fact of="Labels">
              {job.labels.map((label) => (
                <span key={label} className="chip">
                  {label}
                </span>
              ))}
            </Fact>
          )}
        </dl>
      </section>
      <section className="card">
        {job.inputs.length + job.outputs.length > 0 ? (
          <>
            <Datasets title="Reads" ids={job.inputs} />
            <Datasets title="Writes" ids={job.outputs} />
          </>
        ) : (
          <p className="muted">Its runs reported no datasets.</p>
        )}
      </section>
    </div>
  );
}

function LastRun({ job }: { job: Job }) {
  const run = job.latestRun;
  const isRunning = run?.state === "RUNNING";
  const usualMs = usualDurationMs(job.latestRuns ?? []);
  const gap = job.type === "STREAM" ? null : usualGap(completedAt(job.latestRuns ?? []));
  return (
    <>
      <Fact of="Last run">
        {isRunning ? (
          <Running job={jobId(job)} startedAt={run.startedAt} />
        ) : (
          <>
            <StateOf state={run?.state ?? null} /> <When time={run?.endedAt ?? run?.startedAt ?? null} />
          </>
        )}
        {gap && <span className="muted">, usually {gap}</span>}
      </Fact>
      <Fact of="Took">
        {duration(run?.durationMs ?? null)}
        {usualMs !== null && !isRunning && <span className="muted"> (usually {lasting(usualMs)})</span>}
      </Fact>
    </>
  );
}

/** The job that started the last run; of an older one the name alone is known. */
function ParentLink({ job }: { job: Job }) {
  const parent = parentOf(job.latestRun?.facets ?? {});
  const href =
    parent && parent.job.name === job.parentJobName
      ? link("job", { node: jobId(parent.job) })
      : link("search", { q: job.parentJobName });
  return <Link href={href}>{job.parentJobName}</Link>;
}

function Datasets({ title, ids }: { title: string; ids: Job["inputs"] | Job["outputs"] }) {
  return (
    <div>
      <Counted title={title} of={count(ids.length)} />
      <ul className="plain">
        {ids.slice(0, DATASETS_MAX).map((id) => (
          <li key={datasetId(id)}>
            <NodeLink id={datasetId(id)} name={id.name} where={id.namespace} />
          </li>
        ))}
      </ul>
      {ids.length > DATASETS_MAX && <p className="muted">and {count(ids.length - DATASETS_MAX)} more on the map</p>}
    </div>
  );
}
