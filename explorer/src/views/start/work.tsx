/** What needs somebody: jobs that fail, by what waits for them; then jobs that were aborted, or run. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "wouter";

import { type Broken, brokenJobs, jobsOfState, type ShortJob } from "../../api/list-queries";
import { shortError } from "../../model/error-text";
import { count, plural, since, utc } from "../../model/format";
import { JobLink, Loaded, When } from "../../parts/frame";
import { mine, useMine } from "../../parts/mine";
import { Running } from "../../parts/running";
import { StateOf } from "../../parts/signs";
import { jobId } from "../../url/ids";
import { link, mapLink } from "../../url/state";

const BROKEN_MAX = 12,
  OTHERS_MAX = 100,
  OTHERS_SHOWN = 8;
const OTHERS = ["ABORTED", "RUNNING"] as const;
const WORDS = { ABORTED: "aborted", RUNNING: "running" } as const;

export const namesOf = (job: { owners: readonly { name: string }[] }) => job.owners.map(({ name }) => name);

/** The jobs that fail, of an owner or of all. */
export function useBroken(owner: string, isAllowed: boolean) {
  return useQuery({
    queryKey: ["broken", owner],
    enabled: isAllowed,
    queryFn: ({ signal }) => brokenJobs(owner, BROKEN_MAX, signal),
    placeholderData: keepPreviousData,
  });
}

/** Jobs whose last run was aborted, then those that run; a stream always does. */
const useOthers = () =>
  useQuery({
    queryKey: ["work"],
    queryFn: async ({ signal }) =>
      Promise.all(OTHERS.map(async (state) => ({ state, ...(await jobsOfState(state, OTHERS_MAX, signal)) }))),
  });

export function WorkList({ broken }: { broken: ReturnType<typeof useBroken> }) {
  const others = useOthers();
  const { owner } = useMine();
  const isOf = (job: ShortJob) => owner === "" || namesOf(job).includes(owner);
  return (
    <section className="card" aria-label="work">
      <div className="actions">
        <h2>Broken</h2>
        <OwnerChoice jobs={[...(broken.data?.broken ?? []).map(({ data }) => data), ...jobsIn(others.data)]} />
      </div>
      <Loaded of={broken} rows={5}>
        {(report) => (
          <>
            {report.totalCount === 0 && (
              <p className="muted">
                <StateOf state="COMPLETED">No job {owner && `of ${owner} `}fails.</StateOf>
              </p>
            )}
            <ul className="plain">
              {report.broken.map((entry) => (
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
        )}
      </Loaded>
      {/* Where nothing responds, one failure says so. */}
      {!broken.error && (
        <Loaded of={others} rows={3}>
          {(work) => (
            <>
              {jobsIn(work).some(isOf) && <h3>Aborted, or running</h3>}
              <ul className="plain">
                {jobsIn(work)
                  .filter(isOf)
                  .slice(0, OTHERS_SHOWN)
                  .map((job) => (
                    <OtherItem key={jobId(job)} job={job} />
                  ))}
              </ul>
              <p className="muted">
                {work.map(({ state, totalCount }) => (
                  <span key={state}>
                    <Link href={link("jobs", { state })}>
                      {count(totalCount)} {WORDS[state]}
                    </Link>
                    {" · "}
                  </span>
                ))}
                <Link href={link("jobs", { state: "FAILED" })}>all failed</Link>
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
      )}
    </section>
  );
}

/** The jobs of the lists; a stream that runs does as it should. */
const jobsIn = (work: readonly { jobs: readonly ShortJob[] }[] | undefined) =>
  (work ?? []).flatMap(({ jobs }) =>
    jobs.filter(({ type, latestRun }) => type !== "STREAM" || latestRun?.state !== "RUNNING"),
  );

/** The choice of an owner; the browser keeps it. */
function OwnerChoice({ jobs }: { jobs: readonly ShortJob[] }) {
  const { owner } = useMine();
  const all = useQuery({ queryKey: ["broken", ""], queryFn: ({ signal }) => brokenJobs("", BROKEN_MAX, signal) });
  const known = [...jobs, ...(all.data?.broken ?? []).map(({ data }) => data)].flatMap(namesOf);
  const names = [...new Set([...known, ...(owner ? [owner] : [])])].sort();
  if (names.length === 0) return null;
  return (
    <select
      className="field push"
      aria-label="owner"
      value={owner}
      onChange={(event) => mine.choose(event.target.value)}
    >
      <option value="">all owners</option>
      {names.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}

function BrokenItem({ of, isLeast }: { of: Broken; isLeast: boolean }) {
  const { data: job, nodeId, runId, error } = of;
  const owners = namesOf(job).join(", ");
  return (
    <li>
      <JobLink job={job} />
      <div className="small muted under">
        <span className="state-FAILED">
          {of.datasets === 0 && !isLeast ? (
            "holds up nothing"
          ) : (
            <>
              holds up{" "}
              <Link href={link("impact", { node: nodeId })}>
                {isLeast && "at least "}
                {plural(of.datasets, "dataset")}
              </Link>
            </>
          )}
        </span>
        {owners && <> · {owners}</>} · since{" "}
        <time dateTime={of.since} title={`${utc(of.since)} UTC`}>
          {of.failsLonger && "before "}
          {since(of.since, Date.now())}
        </time>
        {of.failedRuns > 1 && `, ${count(of.failedRuns)} runs`} · <Link href={link("run", { id: runId })}>run</Link> ·{" "}
        <Link href={mapLink({ node: nodeId, dir: "down" })}>map</Link>
        {error && (
          <div className="mono cause" title={error}>
            {shortError(error)
              .split("\n")
              .at(-1)
              ?.replace(/^Caused by: /, "")}
          </div>
        )}
      </div>
    </li>
  );
}

function OtherItem({ job }: { job: ShortJob }) {
  const run = job.latestRun;
  const owners = namesOf(job).join(", ");
  return (
    <li>
      <JobLink job={job} />
      <div className="small muted under">
        {run?.state === "RUNNING" ? (
          <Running job={jobId(job)} startedAt={run.startedAt} />
        ) : (
          <>
            <StateOf state={run?.state ?? null} /> <When time={run?.endedAt ?? run?.updatedAt ?? null} />
          </>
        )}
        {owners && <> · {owners}</>}
        {run && (
          <>
            {" "}
            · <Link href={link("run", { id: run.id })}>run</Link>
          </>
        )}
      </div>
    </li>
  );
}
