/** The first view: what to look for, and what fails. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useEffect } from "react";
import { Link } from "wouter";

import { changedJobs, feed, jobsOfState } from "../../api/list-queries";
import { errorOf, run as fetchRun, namespaces, tags } from "../../api/queries";
import { shortError } from "../../model/error-text";
import { count } from "../../model/format";
import { inBrief } from "../../model/news";
import { Find } from "../../parts/find";
import { Bones, JobLink, Loaded, useTitle, When } from "../../parts/frame";
import { useReader } from "../../parts/me";
import { keyOfNews, NewsItem } from "../../parts/news";
import { StateOf } from "../../parts/signs";
import { Tags } from "../../parts/tags";
import { jobId } from "../../url/ids";
import { link, mapLink } from "../../url/state";
import { useDemo } from "./use-demo";

// A stack is empty once; every other visit loads less without them.
const Ways = lazy(async () => ({ default: (await import("./ways")).Ways }));
const EMPTY_POLL_MS = 4_000;
const NAMESPACES = { queryKey: ["namespaces"], queryFn: ({ signal }: { signal: AbortSignal }) => namespaces(signal) };

export function StartView() {
  useTitle("");
  const { can } = useReader();
  const isEmpty = useEmptiness(can("listAllJobs"));
  const { demo, load } = useDemo(isEmpty);
  const work = useWork(can("listAllJobs"));
  // What arrives while the demo runs does not take its card away.
  const showsWays = isEmpty || demo?.state === "RUNNING" || demo?.state === "FAILED";
  return (
    <div className="page">
      <div className={showsWays ? "hero low" : "hero"}>
        <h1>Where does it come from, and what is made of it?</h1>
        <p className="muted">Lineage of datasets, jobs, columns and records</p>
        <Find large />
      </div>
      {can("listAllJobs") && showsWays && (
        <Suspense fallback={<Bones rows={6} />}>
          <Ways demo={demo} load={load} />
        </Suspense>
      )}
      {can("listAllJobs") && !showsWays && (
        <div className="columns2">
          <WorkList of={work} />
          {/* Where nothing responds, one failure says so. */}
          {!work.error && (
            <div>
              {can("listFeed") && <Changed />}
              <LastJobs />
              <Namespaces />
              <KnownTags />
            </div>
          )}
        </div>
      )}
    </div>
  );
}

/** True if there is no namespace, so neither a job nor a dataset; queried again until there is, while in sight. */
function useEmptiness(isAllowed: boolean): boolean {
  const client = useQueryClient();
  const { data } = useQuery({
    ...NAMESPACES,
    enabled: isAllowed,
    refetchInterval: ({ state }) => (state.data?.totalCount === 0 ? EMPTY_POLL_MS : false),
  });
  const isEmpty = data?.totalCount === 0;
  useEffect(() => {
    if (!isEmpty) return;
    // What was empty is queried anew; the reader and the demo's run are not of that.
    return () =>
      void client.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== "me" && queryKey[0] !== "demo" });
  }, [isEmpty, client]);
  return isEmpty;
}

const WORK = ["FAILED", "ABORTED", "RUNNING"] as const;
const WORK_MAX = 20,
  CAUSES_MAX = 8;
const WORK_TITLES = { FAILED: "failed", ABORTED: "aborted", RUNNING: "running" } as const;

/** What needs somebody: jobs whose last run failed, then those aborted, then what runs; a stream always does. */
function useWork(isAllowed: boolean) {
  return useQuery({
    queryKey: ["work"],
    enabled: isAllowed,
    queryFn: async ({ signal }) =>
      Promise.all(WORK.map(async (state) => ({ state, ...(await jobsOfState(state, WORK_MAX, signal)) }))),
  });
}

type Work = NonNullable<ReturnType<typeof useWork>["data"]>;
type WorkJob = Work[number]["jobs"][number];

function WorkList({ of }: { of: ReturnType<typeof useWork> }) {
  return (
    <section className="card" aria-label="work">
      <h2>Needs work</h2>
      <Loaded of={of} rows={5}>
        {(work) => (
          <>
            {work[0]!.totalCount === 0 && (
              <p className="muted">
                <StateOf state="COMPLETED">No job’s last run failed.</StateOf>
              </p>
            )}
            <ul className="plain">
              {work.flatMap(({ jobs }) =>
                jobs
                  .filter(({ type, latestRun }) => type !== "STREAM" || latestRun?.state !== "RUNNING")
                  .map((job, place) => (
                    <WorkItem
                      key={jobId(job)}
                      job={job}
                      hasCause={place < CAUSES_MAX && job.latestRun?.state === "FAILED"}
                    />
                  )),
              )}
            </ul>
            <p className="muted">
              {work.map(({ state, totalCount }, place) => (
                <span key={state}>
                  {place > 0 && " · "}
                  <Link href={link("jobs", { state })}>
                    {count(totalCount)} {WORK_TITLES[state]}
                  </Link>
                </span>
              ))}
              {" · "}
              <Link href={link("jobs")}>all jobs</Link>
              {" · "}
              <Link href={link("tests")}>failing tests</Link>
              {" · "}
              <Link href={link("coverage")}>coverage</Link>
            </p>
          </>
        )}
      </Loaded>
    </section>
  );
}

function WorkItem({ job, hasCause }: { job: WorkJob; hasCause: boolean }) {
  const run = job.latestRun;
  const owners = job.owners.map(({ name }) => name).join(", ");
  return (
    <li>
      <JobLink job={job} />
      <div className="small muted under">
        <StateOf state={run?.state ?? null} />{" "}
        {run?.state === "RUNNING" ? (
          <>
            since <When time={run.startedAt} />
          </>
        ) : (
          <When time={run?.endedAt ?? run?.updatedAt ?? null} />
        )}
        {owners && <> · {owners}</>}
        {run && (
          <>
            {" "}
            · <Link href={link("run", { id: run.id })}>run</Link> ·{" "}
            <Link href={mapLink({ node: jobId(job), dir: "down" })}>what it holds up</Link>
          </>
        )}
        {run && hasCause && <Cause id={run.id} />}
      </div>
    </li>
  );
}

/** The last line of a failed run's error in short, which lists do not have. */
function Cause({ id }: { id: string }) {
  const { data } = useQuery({ queryKey: ["run", id], queryFn: ({ signal }) => fetchRun(id, signal) });
  const error = data ? errorOf(data.facets) : null;
  return error === null ? null : (
    <div className="mono cause" title={error}>
      {shortError(error).split("\n").at(-1)}
    </div>
  );
}

const NEWS_DAYS = 7,
  NEWS_MAX = 200,
  NEWS_LINES = 8;

/** What happened in the last days, the latest first. */
function Changed() {
  const result = useQuery({
    queryKey: ["feed"],
    queryFn: ({ signal }) => feed({ days: NEWS_DAYS, kind: "", namespace: "", limit: NEWS_MAX }, signal),
  });
  return (
    <section className="card" aria-label="changed">
      <h2>Changed in the last {NEWS_DAYS} days</h2>
      <Loaded of={result} rows={3}>
        {({ news, totalCount, truncated }) => (
          <>
            <ul className="plain">
              {news.length === 0 && <li className="muted">Nothing new, dropped, changed or failing.</li>}
              {inBrief(news, NEWS_LINES).map(({ news: entry, more }) => (
                <NewsItem key={keyOfNews(entry)} news={entry}>
                  {more > 0 && (
                    <div>
                      and <Link href={link("feed", { kind: "DATASET_NEW" })}>{count(more)} more new</Link>
                    </div>
                  )}
                </NewsItem>
              ))}
            </ul>
            <p className="muted">
              <Link href={link("feed")}>
                all {count(totalCount)}
                {truncated && " or more"}, by day
              </Link>
            </p>
          </>
        )}
      </Loaded>
    </section>
  );
}

function LastJobs() {
  const result = useQuery({ queryKey: ["changed"], queryFn: ({ signal }) => changedJobs(signal) });
  return (
    <section className="card">
      <h2>Ran lately</h2>
      <Loaded of={result} rows={3}>
        {({ jobs }) => (
          <ul className="plain">
            {jobs.length === 0 && <li className="muted">No job is known yet.</li>}
            {jobs.map((job) => (
              <li key={jobId(job)} className="spread">
                <JobLink job={job} />
                <span className="small muted">
                  <StateOf state={job.latestRun?.state ?? null} /> <When time={job.updatedAt} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  );
}

function Namespaces() {
  const result = useQuery(NAMESPACES);
  return (
    <section className="card">
      <h2>Namespaces</h2>
      <Loaded of={result} rows={3}>
        {({ namespaces: listed, totalCount }) => (
          <>
            <ul className="plain">
              {listed.map(({ name }) => (
                <li key={name}>
                  <Link className="mono" href={link("search", { namespace: name })}>
                    {name}
                  </Link>{" "}
                  <Link className="small" href={link("datasets", { namespace: name })}>
                    datasets
                  </Link>
                </li>
              ))}
            </ul>
            {totalCount > listed.length && <p className="muted">and {count(totalCount - listed.length)} more</p>}
          </>
        )}
      </Loaded>
    </section>
  );
}

function KnownTags() {
  const { data } = useQuery({ queryKey: ["tags"], queryFn: ({ signal }) => tags(signal) });
  if (!data?.tags.length) return null;
  return (
    <section className="card">
      <h2>Tags</h2>
      <Tags names={data.tags.map(({ name }) => name)} />
      {data.totalCount > data.tags.length && (
        <p className="muted">and {count(data.totalCount - data.tags.length)} more</p>
      )}
    </section>
  );
}
