/** How long a run has been running, and how long its job's runs usually take. */

import { useQuery } from "@tanstack/react-query";

import { lastRuns } from "../api/queries";
import { local, utc } from "../model/format";
import { lasting, usualDurationMs } from "../model/rhythm";
import { StateOf } from "./signs";

// Twice as long as usual may be a busy day; so many times is worth a look.
const LONG = 3;

/** The state of a run that has not ended; `job` is the node id of its job. */
export function Running({ job, startedAt }: { job: string; startedAt: string | null }) {
  const { data } = useQuery({ ...lastRuns(job), enabled: startedAt !== null });
  if (startedAt === null) return <StateOf state="RUNNING" />;
  const forMs = Math.max(0, Date.now() - Date.parse(startedAt));
  const usualMs = usualDurationMs(data?.runs ?? []);
  return (
    <>
      <StateOf state="RUNNING">
        running for{" "}
        <time dateTime={startedAt} title={`since ${utc(startedAt)} UTC\n${local(startedAt)}`}>
          {lasting(forMs)}
        </time>
      </StateOf>
      {usualMs !== null && (
        <span className={forMs > LONG * usualMs ? "changed" : "muted"}> (usually {lasting(usualMs)})</span>
      )}
    </>
  );
}
