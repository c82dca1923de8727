/** The jobs that fail, by what waits for them. */

import { Link } from "wouter";

import type { Schema } from "../../api/client";
import type { Broken } from "../../api/list-queries";
import { lastLine } from "../../model/error-text";
import { count, plural, since, utc } from "../../model/format";
import { Dotted } from "../../parts/controls";
import { JobLink } from "../../parts/frame";
import { StateOf } from "../../parts/signs";
import { link, mapLink } from "../../url/state";
import { namesOf } from "./jobs";

export function BrokenJobs({ report, owner }: { report: Schema<"BrokenReport">; owner: string }) {
  return (
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
  );
}

function BrokenItem({ of, isLeast }: { of: Broken; isLeast: boolean }) {
  const { data: job, nodeId, runId, error } = of;
  const owners = namesOf(job).join(", ");
  return (
    <li>
      <JobLink job={job} />
      <div className="small muted under">
        <Dotted>
          <span className="state-FAILED">
            {of.datasets === 0 && !isLeast ? "holds up nothing" : "holds up "}
            {(of.datasets > 0 || isLeast) && (
              <Link href={link("impact", { node: nodeId })}>
                {isLeast && "at least "}
                {plural(of.datasets, "dataset")}
              </Link>
            )}
          </span>
          {owners || null}
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
        </Dotted>
        {error && (
          <div className="mono cause" title={error}>
            {lastLine(error).replace(/^Caused by: /, "")}
          </div>
        )}
      </div>
    </li>
  );
}
