/** News of a dataset or a job: what it is, what changed, by which job, and whose it is; by day, and in a few lines. */

import "./news.css";

import type { ReactNode } from "react";
import { Link } from "wouter";
import { plural } from "../../model/format";
import { groupBy } from "../../model/group-by";
import { Dotted } from "../../parts/controls";
import { NodeLink, pageOf, When } from "../../parts/frame";
import { StateOf } from "../../parts/signs";
import { jobId } from "../../url/ids";
import { link } from "../../url/state";
import type { News } from "./queries";

const FIELDS_MAX = 8;

export function NewsItem({ news, children }: { news: News; children?: ReactNode }) {
  const { kind, nodeId, at, owners, job, runId, runState } = news;
  const href = kind === "SCHEMA_CHANGED" ? link("dataset", { node: nodeId, tab: "versions" }) : pageOf(nodeId);
  return (
    <li>
      <NodeLink id={nodeId} href={href} />
      <div className="small muted under">
        <Dotted>
          <span>
            <Happened news={news} /> <When time={at} />
          </span>
          {job && jobId(job) !== nodeId && (
            <>
              by <Link href={pageOf(jobId(job))}>{job.name}</Link>
            </>
          )}
          {runId && (
            <>
              <Link href={link("run", { id: runId })}>run</Link>{" "}
              {kind !== "JOB_FAILS" && runState && runState !== "COMPLETED" && <StateOf state={runState} />}
            </>
          )}
          {owners.length > 0 && owners.join(", ")}
        </Dotted>
        <Fields news={news} />
        {children}
      </div>
    </li>
  );
}

function Happened({ news: { kind, failedRuns } }: { news: News }) {
  switch (kind) {
    case "DATASET_NEW":
      return <span className="added">new</span>;
    case "DATASET_DROPPED":
      return <span className="removed">dropped</span>;
    case "SCHEMA_CHANGED":
      return <span className="changed">schema changed</span>;
    case "JOB_FAILS":
      return <StateOf state="FAILED">fails, {plural(failedRuns ?? 1, "run")}, since</StateOf>;
  }
}

/** The fields that a changed schema has more, fewer, and with another type; of many, a few. */
function Fields({ news: { change } }: { news: News }) {
  if (!change) return null;
  const { added, dropped, retyped } = change;
  const fields = [
    ...dropped.map(({ name, type }) => ({ name, sign: "−", look: "removed", type })),
    ...retyped.map(({ name, before, after }) => ({ name, sign: "~", look: "changed", type: `${before} → ${after}` })),
    ...added.map(({ name, type }) => ({ name, sign: "+", look: "added", type })),
  ];
  const more = fields.length - FIELDS_MAX + change.leftOut;
  return (
    <div className="news-fields mono">
      {fields.slice(0, FIELDS_MAX).map(({ name, sign, look, type }) => (
        <span key={`${sign}${name}`}>
          <span className={look}>
            {sign} {name}
          </span>
          {type && ` ${type}`}
        </span>
      ))}
      {more > 0 && <span>and {more} more</span>}
    </div>
  );
}

/** News are told apart by these. */
export const keyOfNews = ({ kind, nodeId, at, runId }: News) => JSON.stringify([kind, nodeId, at, runId]);

/** Return the news of each day, in the order given. */
export const newsByDay = <T extends { at: string }>(news: readonly T[]) => [
  ...groupBy(news, ({ at }) => at.slice(0, 10)),
];

/** Of new datasets that follow each other: a load of an estate has thousands. */
const NEW_MAX = 2;

/** Return the first `most` news; `more` of the new datasets that follow each other are left out after one. */
export function inBrief<T extends { kind: string }>(news: readonly T[], most: number) {
  const lines: { news: T; more: number }[] = [];
  let following = 0;
  for (const entry of news) {
    following = entry.kind === "DATASET_NEW" ? following + 1 : 0;
    if (following > NEW_MAX) lines[lines.length - 1]!.more += 1;
    else if (lines.length < most) lines.push({ news: entry, more: 0 });
    else break;
  }
  return lines;
}
