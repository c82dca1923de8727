/** The facts of a job and of a dataset, as the panel of a map has them. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";

import { errorOf, run as fetchRun } from "../../api/queries";
import { duration } from "../../model/format";
import type { Item } from "../../model/graph";
import { ErrorText } from "../../parts/error-text";
import { When } from "../../parts/frame";
import { SignOf, StateOf } from "../../parts/signs";
import { Tags } from "../../parts/tags";
import { TestsOf } from "../../parts/tests";
import { link } from "../../url/state";

export function JobFacts({ item }: { item: Item }) {
  const took = item.startedAt && item.endedAt ? Date.parse(item.endedAt) - Date.parse(item.startedAt) : null;
  return (
    <>
      <dl className="facts">
        <dt>Last run</dt>
        <dd>
          <StateOf state={item.state} />
        </dd>
        {item.runId && (
          <>
            <dt>Run</dt>
            <dd>
              <Link className="mono" href={link("run", { id: item.runId })}>
                {item.runId}
              </Link>
            </dd>
          </>
        )}
        {item.incomplete && (
          <>
            <dt>Lineage</dt>
            <dd>
              <span className="state stale">
                <SignOf of="stale" />
                incomplete
              </span>
              : the run could not report all of it
            </dd>
          </>
        )}
        <dt>Ended</dt>
        <dd>
          <When time={item.endedAt} />
        </dd>
        <dt>Took</dt>
        <dd>{duration(took)}</dd>
        <TestsOf tests={item.tests} />
        <Owned item={item} />
      </dl>
      {item.state === "FAILED" && item.runId && <RunError id={item.runId} />}
    </>
  );
}

/** The error of a failed run: the graph does not have it, so it is fetched for the selected job alone. */
export function RunError({ id }: { id: string }) {
  const { data } = useQuery({ queryKey: ["run", id], queryFn: ({ signal }) => fetchRun(id, signal) });
  const error = data ? errorOf(data.facets) : null;
  return error === null ? null : (
    <>
      <h2 className="removed">✕ Error</h2>
      <ErrorText text={error} />
    </>
  );
}

export function DatasetFacts({ item }: { item: Item }) {
  return (
    <dl className="facts">
      <dt>Written</dt>
      <dd>
        <When time={item.touchedAt} />
      </dd>
      {item.stale && (
        <>
          <dt>State</dt>
          <dd>
            <span className="state stale">
              <SignOf of="stale" />
              stale
            </span>
            : who wrote it last does so no more
          </dd>
        </>
      )}
      {item.temporary && (
        <>
          <dt>Kind</dt>
          <dd>temporary</dd>
        </>
      )}
      <TestsOf tests={item.tests} />
      <Owned item={item} />
    </dl>
  );
}

function Owned({ item }: { item: Item }) {
  return (
    <>
      {item.owners.length > 0 && (
        <>
          <dt>Owners</dt>
          <dd>{item.owners.join(", ")}</dd>
        </>
      )}
      {item.tags.length > 0 && (
        <>
          <dt>Tags</dt>
          <dd>
            <Tags names={item.tags} />
          </dd>
        </>
      )}
    </>
  );
}
