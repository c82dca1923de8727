/** Failing jobs, by the datasets that wait for a job; then aborted and running jobs. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ComponentProps, ReactNode } from "react";
import { Link } from "wouter";
import type { Schema } from "../../api/client";
import { type Broken, brokenJobs, jobsOfStates, type ShortJob } from "../../api/list-queries";
import { REPORTS } from "../../features";
import { lastLine } from "../../model/facets";
import { count, plural, since, utc } from "../../model/format";
import { Dotted, Select } from "../../parts/controls";
import { Running } from "../../parts/facts";
import { JobLink, Loaded, Skeleton, When } from "../../parts/frame";
import { mine, useMine } from "../../parts/mine";
import { StateOf } from "../../parts/signs";
import { jobId } from "../../url/ids";
import { link, mapLink } from "../../url/state";

export function WorkList() {
  const broken = useBroken();
  const others = useOthers();
  const { owner } = useMine();
  return (
    <section className="card" aria-label="work">
      <div className="actions">
        <h2>Broken</h2>
        <OwnerChoice jobs={[...(broken.data?.broken ?? []).map(({ data }) => data), ...jobsIn(others.data)]} />
      </div>
      <Loaded of={broken} rows={5}>
        {(report) => <BrokenJobs report={report} owner={owner} />}
      </Loaded>
      <StartList of={others} rows={3}>
        {(work) => <OtherJobs work={work} owner={owner} />}
      </StartList>
    </section>
  );
}

/** The choice of an owner; the browser keeps it. */
function OwnerChoice({ jobs }: { jobs: readonly ShortJob[] }) {
  const { owner } = useMine();
  const all = useQuery(brokenOf(""));
  const known = [...jobs, ...(all.data?.broken ?? []).map(({ data }) => data)].flatMap(namesOf);
  if (known.length === 0 && !owner) return null;
  return (
    <Select look="field push" label="owner" none="all owners" value={owner} among={known.sort()} choose={mine.choose} />
  );
}

function BrokenJobs({ report, owner }: { report: Schema<"BrokenReport">; owner: string }) {
  return (
    <>
      {report.totalCount === 0 && (
        <p className="muted">
          <StateOf state="COMPLETED">No job {owner && `of ${owner} `}fails.</StateOf>
        </p>
      )}
      <ul className="plain">
        {report.broken
          .filter(({ data }) => isOf(owner)(data))
          .map((entry) => (
            <BrokenItem key={entry.nodeId} of={entry} isLeast={report.datasetsTruncated} />
          ))}
      </ul>
      {(report.totalCount > report.broken.length || report.truncated) && (
        <p className="muted">
          and{" "}
          <Link href={link("jobs", { state: "FAILED", owner })}>
            {report.totalCount > report.broken.length && `${count(report.totalCount - report.broken.length)} `}
            {report.truncated && "or "}more
          </Link>
        </p>
      )}
    </>
  );
}

function BrokenItem({ of, isLeast }: { of: Broken; isLeast: boolean }) {
  const { data: job, nodeId, runId, error } = of;
  const cause = error && (
    <div className="mono cause" title={error}>
      {lastLine(error).replace(/^Caused by: /, "")}
    </div>
  );
  return (
    <WorkItem job={job} cause={cause}>
      <span className="state-FAILED">
        {of.datasets === 0 && !isLeast ? "holds up nothing" : "holds up "}
        {(of.datasets > 0 || isLeast) && (
          <Link href={link("impact", { node: nodeId })}>
            {isLeast && "at least "}
            {plural(of.datasets, "dataset")}
          </Link>
        )}
      </span>
      {namesOf(job).join(", ") || null}
      <span>
        since{" "}
        <time dateTime={of.since} title={`${utc(of.since)} UTC`}>
          {of.failsLonger && "before "}
          {since(of.since, Date.now())}
        </time>
        {of.failedRuns > 1 && `, ${count(of.failedRuns)} runs`}
      </span>
      <Link href={link("run", { id: runId })}>run</Link>
      <Link href={mapLink({ node: nodeId, dir: "down" })}>map</Link>
    </WorkItem>
  );
}

interface WorkItemProps {
  job: ComponentProps<typeof JobLink>["job"];
  cause?: ReactNode;
  children: ReactNode;
}

const WorkItem = ({ job, cause, children }: WorkItemProps) => (
  <li>
    <JobLink job={job} />
    <div className="small muted under">
      <Dotted>{children}</Dotted>
      {cause}
    </div>
  </li>
);

const SHOWN = 8;
const WORDS = { ABORTED: "aborted", RUNNING: "running" } as const;

type Work = NonNullable<ReturnType<typeof useOthers>["data"]>;

function OtherJobs({ work, owner }: { work: Work; owner: string }) {
  const jobs = jobsIn(work).filter(isOf(owner));
  return (
    <>
      {jobs.length > 0 && <h3>Aborted, or running</h3>}
      <ul className="plain">
        {jobs.slice(0, SHOWN).map((job) => (
          <OtherItem key={jobId(job)} job={job} />
        ))}
      </ul>
      <p className="muted">
        <Dotted>
          {work.map(({ state, totalCount }) => (
            <Link key={state} href={link("jobs", { state })}>
              {count(totalCount)} {WORDS[state]}
            </Link>
          ))}
          <Link href={link("jobs", { state: "FAILED" })}>all failed</Link>
          <Link href={link("jobs")}>all jobs</Link>
          <Link href={link("tests")}>failing tests</Link>
          {REPORTS.map(([view, title]) => (
            <Link key={view} href={link(view)}>
              {title}
            </Link>
          ))}
        </Dotted>
      </p>
    </>
  );
}

function OtherItem({ job }: { job: ShortJob }) {
  const run = job.latestRun;
  return (
    <WorkItem job={job}>
      {run?.state === "RUNNING" ? (
        <Running job={jobId(job)} startedAt={run.startedAt} />
      ) : (
        <>
          <StateOf state={run?.state ?? null} /> <When time={run?.endedAt ?? run?.updatedAt ?? null} />
        </>
      )}
      {namesOf(job).join(", ") || null}
      {run && <Link href={link("run", { id: run.id })}>run</Link>}
    </WorkItem>
  );
}

const BROKEN_MAX = 12,
  OTHERS_MAX = 100;
const OTHERS = ["ABORTED", "RUNNING"] as const;

const namesOf = (job: { owners: readonly { name: string }[] }) => job.owners.map(({ name }) => name);

const isOf = (owner: string) => (job: Parameters<typeof namesOf>[0]) => owner === "" || namesOf(job).includes(owner);

const brokenOf = (owner: string) => brokenJobs(owner, BROKEN_MAX);

/** The failing jobs of the chosen owner, or of all. */
const useBroken = () => useQuery({ ...brokenOf(useMine().owner), placeholderData: keepPreviousData });

/** Aborted jobs, then running jobs. */
const useOthers = () => useQuery(jobsOfStates(OTHERS, OTHERS_MAX));

/** The jobs of the lists; a running stream is well. */
const jobsIn = (work: readonly { jobs: readonly ShortJob[] }[] | undefined) =>
  (work ?? []).flatMap(({ jobs }) =>
    jobs.filter(({ type, latestRun }) => type !== "STREAM" || latestRun?.state !== "RUNNING"),
  );

type ListProps<T> = ComponentProps<typeof Loaded<T>>;

/** A list under its title; nothing where neither the list nor the broken jobs have loaded. */
export function StartCard<T>({ title, label, ...list }: ListProps<T> & { title: string; label?: string }) {
  const broken = useBroken();
  if (list.of.isLoadingError && broken.isLoadingError) return null;
  return (
    <section className="card" aria-label={label}>
      <h2>{title}</h2>
      <StartList {...list} />
    </section>
  );
}

/** As `Loaded`; a failure is drawn only once the broken jobs have loaded. */
function StartList<T>(list: ListProps<T>) {
  const broken = useBroken();
  if (list.of.isLoadingError && !broken.data) return broken.isLoadingError ? null : <Skeleton rows={list.rows} />;
  return <Loaded {...list} />;
}
