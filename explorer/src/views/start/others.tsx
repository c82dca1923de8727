/** Jobs that were aborted, or run, of an owner or of all, and ways to all lists. */

import { Link } from "wouter";

import type { ShortJob } from "../../api/list-queries";
import { REPORTS } from "../../features";
import { count } from "../../model/format";
import { Dotted } from "../../parts/controls";
import { JobLink, When } from "../../parts/frame";
import { Running } from "../../parts/running";
import { StateOf } from "../../parts/signs";
import { jobId } from "../../url/ids";
import { link } from "../../url/state";
import { jobsIn, namesOf, type useOthers } from "./jobs";

const SHOWN = 8;
const WORDS = { ABORTED: "aborted", RUNNING: "running" } as const;

type Work = NonNullable<ReturnType<typeof useOthers>["data"]>;

export function OtherJobs({ work, owner }: { work: Work; owner: string }) {
  const isOf = (job: ShortJob) => owner === "" || namesOf(job).includes(owner);
  return (
    <>
      {jobsIn(work).some(isOf) && <h3>Aborted, or running</h3>}
      <ul className="plain">
        {jobsIn(work)
          .filter(isOf)
          .slice(0, SHOWN)
          .map((job) => (
            <OtherItem key={jobId(job)} job={job} />
          ))}
      </ul>
      <Lists work={work} />
    </>
  );
}

function OtherItem({ job }: { job: ShortJob }) {
  const run = job.latestRun;
  const owners = namesOf(job).join(", ");
  return (
    <li>
      <JobLink job={job} />
      <div className="small muted under">
        <Dotted>
          {run?.state === "RUNNING" ? (
            <Running job={jobId(job)} startedAt={run.startedAt} />
          ) : (
            <>
              <StateOf state={run?.state ?? null} /> <When time={run?.endedAt ?? run?.updatedAt ?? null} />
            </>
          )}
          {owners || null}
          {run && <Link href={link("run", { id: run.id })}>run</Link>}
        </Dotted>
      </div>
    </li>
  );
}

/** Links to the lists of jobs and to the reports about them. */
function Lists({ work }: { work: Work }) {
  return (
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
  );
}
