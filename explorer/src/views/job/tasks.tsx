/** The jobs that a job started: the tasks of a DAG, with their last runs. */

import { useQuery } from "@tanstack/react-query";

import { childJobs } from "../../api/queries";
import { count, duration, plural } from "../../model/format";
import { rankOf } from "../../model/states";
import { JobLink, When } from "../../parts/frame";
import { StateOf } from "../../parts/signs";
import { jobId } from "../../url/ids";
import { Bars } from "./bars";

const TASKS_MAX = 100;
export function Tasks({ node }: { node: string }) {
  const { data } = useQuery({
    queryKey: ["children", node],
    queryFn: ({ signal }) => childJobs(node, TASKS_MAX, signal),
  });
  if (!data?.jobs.length) return null;
  return (
    <section className="card" aria-label="tasks">
      <h2>Tasks</h2>
      <p className="muted">
        It started {plural(data.totalCount, "job")}
        {data.truncated && ", at least"}
        {data.totalCount > data.jobs.length && `; the first ${count(data.jobs.length)} are here`}.
      </p>
      <div className="scroll" style={{ maxHeight: 420 }} tabIndex={0} role="region" aria-label="list of tasks">
        <table className="table">
          <thead>
            <tr>
              <th>Task</th>
              <th>State</th>
              <th>Started</th>
              <th className="number">Took</th>
              <th>Last runs</th>
            </tr>
          </thead>
          <tbody>
            {[...data.jobs]
              .sort((job, other) => rankOf(job.latestRun?.state) - rankOf(other.latestRun?.state))
              .map((job) => (
                <tr key={jobId(job)}>
                  <td>
                    <JobLink job={job} />
                  </td>
                  <td className="fixed">
                    <StateOf state={job.latestRun?.state ?? null} />
                  </td>
                  <td className="fixed">
                    <When time={job.latestRun?.startedAt ?? null} />
                  </td>
                  <td className="number fixed">{duration(job.latestRun?.durationMs ?? null)}</td>
                  <td>
                    <Bars runs={job.latestRuns ?? []} small />
                  </td>
                </tr>
              ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
