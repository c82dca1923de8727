/** A job: its facts, its tasks, its runs as bars, its versions, its code. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { job as fetchJob, type Job } from "../../api/queries";
import { parentOf } from "../../model/facets";
import { completedAt, count, duration, lasting, usualDurationMs, usualGap } from "../../model/format";
import { Counted, Fact, LinkButton, MainLink, Tabs, type TabTitles } from "../../parts/controls";
import { Edit, SetHere } from "../../parts/edit";
import { Owners, Running, Tags } from "../../parts/facts";
import { EmptyState, Facets, Loaded, NodeHead, NodeLink, useAddress, useTitle, When } from "../../parts/frame";
import { StateOf } from "../../parts/signs";
import { datasetId, jobId } from "../../url/ids";
import { link, mapLink } from "../../url/state";
import { FailedTasks, Runs, Tasks } from "./runs";
import { Code, SafeLink, Versions } from "./versions";

const TABS: TabTitles = [
  ["", "Runs"],
  ["versions", "Versions"],
  ["code", "Code"],
  ["facets", "Facets"],
];

export function JobView() {
  const { node, tab } = useAddress("node", "tab");
  const result = useQuery({ ...fetchJob(node), enabled: node !== "" });
  useTitle(result.data?.name ?? "Job");
  if (!node) return <EmptyState title="No job is chosen">Find one with the box above.</EmptyState>;
  return (
    <div className="page">
      <Loaded of={result}>
        {(job) => (
          <>
            <NodeHead id={node} name={job.name} where={job.namespace}>
              {job.description && <p>{job.description}</p>}
              <FailedTasks node={node} />
            </NodeHead>
            <div className="actions">
              <MainLink to={mapLink({ node })}>Map</MainLink>
              <LinkButton to={link("impact", { node })}>Impact</LinkButton>
              <LinkButton to={mapLink({ node, sel: node, why: true })}>Why?</LinkButton>
              <Edit id={node} namespace={job.namespace} />
            </div>
            <About job={job} />
            <Tasks node={node} />
            <Tabs of={TABS} tab={tab} to={(other) => link("job", { node, tab: other })} />
            {tab === "" && <Runs node={node} />}
            {tab === "versions" && <Versions node={node} />}
            {tab === "code" && <Code facets={job.facets} />}
            {tab === "facets" && <Facets facets={job.facets} />}
          </>
        )}
      </Loaded>
    </div>
  );
}

const DATASETS_MAX = 20;

function About({ job }: { job: Job }) {
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
