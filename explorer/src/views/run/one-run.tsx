/** All that is known of one run; another may stand beside it. */

import { useQuery } from "@tanstack/react-query";
import { run as fetchRun, jobRuns, type RawEvent, type Run, runEvents } from "../../api/queries";
import { OF_LOAD, OF_OUTPUT } from "../../features";
import { rowsOf, textOfSubset } from "../../model/facets";
import { count, justAfter, utc } from "../../model/format";
import { Counted, LinkButton, MainLink } from "../../parts/controls";
import { RunError } from "../../parts/error-text";
import { Asked, Facets, Head, Loaded, NodeLink, Opened } from "../../parts/frame";
import { useReader } from "../../parts/me";
import { Tinted } from "../../parts/signs";
import { datasetId, jobId } from "../../url/ids";
import { link, mapLink } from "../../url/state";
import { RunFacts } from "./facts";

const RUNS_MAX = 60;

export function OneRun({ id, other = "" }: { id: string; other?: string }) {
  const result = useRun(id);
  const against = useRun(other).data;
  return (
    <div>
      <Loaded of={result}>
        {(run) => (
          <>
            <Head
              sign={<Tinted look={`state-${run.state}`} of="run" />}
              word={`Run of ${run.job.name}`}
              title={run.id}
              isMono
            />
            <Actions run={run} isAlone={!other} />
            <section className="card">
              <RunFacts run={run} against={against} />
              <RunError facets={run.facets} />
            </section>
            <Versions title="Read" of={run.inputDatasetVersions} others={against?.inputDatasetVersions} />
            <Versions title="Made" of={run.outputDatasetVersions} others={against?.outputDatasetVersions} />
            <h2>Facets</h2>
            <Facets facets={run.facets} />
            <h2>Events</h2>
            <Opened look="card" title={<b>As they were sent, oldest first</b>}>
              {() => (
                <Asked query={runEvents(id)} rows={3}>
                  {({ events, totalCount, truncated }) => (
                    <>
                      {events.length === 0 && <p className="muted">None is kept any more.</p>}
                      {events.map((event, at) => (
                        <OneEvent key={at} event={event} />
                      ))}
                      {(truncated || totalCount > events.length) && (
                        <p className="muted">
                          There are more: <code>GET /api/v1/events/lineage?runId={id}</code>
                        </p>
                      )}
                    </>
                  )}
                </Asked>
              )}
            </Opened>
          </>
        )}
      </Loaded>
    </div>
  );
}

function Actions({ run, isAlone }: { run: Run; isAlone: boolean }) {
  const { can } = useReader();
  const isFailed = run.state === "FAILED" || run.state === "ABORTED";
  return (
    <div className="actions">
      {isAlone && isFailed && <LastGood run={run} />}
      <LinkButton to={mapLink({ node: jobId(run.job), at: run.endedAt ? justAfter(run.endedAt) : "" })}>
        Map at that time
      </LinkButton>
      {OF_LOAD.map(
        ([feature, view, title]) =>
          can(feature) && (
            <LinkButton key={view} to={link(view, { run: run.id })}>
              {title}
            </LinkButton>
          ),
      )}
    </div>
  );
}

/** The link that compares a failed run with the last one before it that completed. */
function LastGood({ run }: { run: Run }) {
  const node = jobId(run.job);
  const { data } = useQuery(jobRuns(node, RUNS_MAX));
  const started = run.startedAt ?? run.createdAt;
  const good = data?.runs.find(
    (other) => other.state === "COMPLETED" && (other.startedAt ?? other.createdAt) < started,
  );
  return good ? <MainLink to={link("run", { id: run.id, vs: good.id })}>Against the last good run</MainLink> : null;
}

/** A member's text; what an event says is shown as text, whatever the event holds. */
const textOf = (event: RawEvent, member: string) =>
  typeof event[member] === "string" ? (event[member] as string) : "";

function OneEvent({ event }: { event: RawEvent }) {
  const title = (
    <>
      <b>{textOf(event, "eventType") || "no type"}</b> {utc(textOf(event, "eventTime"))} UTC{" "}
      <span className="muted small">{textOf(event, "producer")}</span>
    </>
  );
  return <Opened title={title}>{() => <pre>{JSON.stringify(event, null, 2)}</pre>}</Opened>;
}

type Uses = Run["inputDatasetVersions"] | Run["outputDatasetVersions"];

function Versions({ title, of, others }: { title: string; of: Uses; others?: Uses | undefined }) {
  const { can } = useReader();
  const key = (use: Uses[number]) => `${datasetId(use.datasetVersionId)}#${use.datasetVersionId.version}`;
  const known = new Set(others?.map(key)),
    names = new Set(others?.map((use) => datasetId(use.datasetVersionId)));
  return (
    <section className="card">
      <Counted title={title} of={of.length} />
      {of.length === 0 && <p className="muted">nothing was reported</p>}
      <ul className="plain">
        {of.map((use) => {
          const id = datasetId(use.datasetVersionId);
          return (
            <li key={key(use)}>
              <NodeLink id={id} name={use.datasetVersionId.name} where={use.datasetVersionId.namespace} />{" "}
              <span className="mono muted">#{use.datasetVersionId.version.slice(0, 8)}</span>
              {others && !names.has(id) && <span className="added"> + only here</span>}
              {others && names.has(id) && !known.has(key(use)) && <span className="changed"> ~ another version</span>}
              {rowsOf(use) !== null && <span className="muted"> · {count(rowsOf(use) ?? 0)} rows</span>}
              {partOf(use) !== null && <span className="muted"> · {partOf(use)}</span>}
              {OF_OUTPUT.map(([feature, Part]) => can(feature) && <Part key={feature} use={use} />)}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** The part that the run used, as OpenLineage's facet `subset` has it. */
const partOf = (use: Uses[number]) => textOfSubset((use.facets as Record<string, unknown>)["subset"]);

/** A run; without an id, nothing is fetched. */
export const useRun = (id: string) => useQuery({ ...fetchRun(id), enabled: id !== "" });
