/** The first view: a search, failures, and what this browser keeps of its reader. */

import "./start.css";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useEffect, useRef } from "react";
import { Link, useLocation } from "wouter";
import { CHANGED_JOBS } from "../../api/list-queries";
import { demo, startDemo } from "../../api/local";
import { ME, NAMESPACES, TAGS } from "../../api/queries";
import { CARDS, PICTURES } from "../../features";
import { count } from "../../model/format";
import type { Kept } from "../../model/mine";
import { Chip, MonoLink } from "../../parts/controls";
import { Tags } from "../../parts/facts";
import { Find } from "../../parts/find";
import { JobLink, NodeLink, Skeleton, useTitle, When } from "../../parts/frame";
import { mine, useMine } from "../../parts/mine";
import { useReader } from "../../parts/reader";
import { SignOf, StateOf } from "../../parts/signs";
import { jobId } from "../../url/ids";
import { link } from "../../url/state";
import { StartCard, WorkList } from "./work";

// A stack is empty once: later visits load less.
const Ways = lazy(async () => ({ default: (await import("./ways")).Ways }));
const EMPTY_POLL_MS = 4_000;

export function StartView() {
  useTitle("");
  const { can } = useReader();
  const isEmpty = useEmptiness(can("listAllJobs"));
  const { demo, load } = useDemo(isEmpty);
  // Data of a running demo keeps the card of the demo.
  const showsWays = isEmpty || demo?.state === "RUNNING" || demo?.state === "FAILED";
  return (
    <div className="page wide">
      <div className="hero">
        <h1>Where does it come from, and what is made of it?</h1>
        <p className="muted">Lineage of datasets, jobs, columns and records</p>
        <Find large />
      </div>
      {can("listAllJobs") && showsWays && (
        <Suspense fallback={<Skeleton rows={6} />}>
          <Ways demo={demo} load={load} />
        </Suspense>
      )}
      {can("listAllJobs") && !showsWays && (
        <>
          {PICTURES.map(([feature, Picture]) => can(feature) && <Picture key={feature} />)}
          <div className="overview">
            <WorkList />
            <div>
              <MineCard />
              <Namespaces />
              <KnownTags />
            </div>
            <div>
              {CARDS.map(([feature, Card]) => can(feature) && <Card key={feature} />)}
              <LastJobs />
            </div>
          </div>
        </>
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
    // Empty lists are queried anew, unlike the reader and the demo's run.
    return () =>
      void client.resetQueries({
        predicate: ({ queryKey }) => queryKey[0] !== ME.queryKey[0] && queryKey[0] !== "demo",
      });
  }, [isEmpty, client]);
  return isEmpty;
}

function LastJobs() {
  const result = useQuery(CHANGED_JOBS);
  return (
    <StartCard title="Ran lately" of={result} rows={3}>
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
    </StartCard>
  );
}

function Namespaces() {
  const result = useQuery(NAMESPACES);
  return (
    <StartCard title="Namespaces" of={result} rows={3}>
      {({ namespaces: listed, totalCount }) => (
        <>
          <ul className="plain">
            {listed.map(({ name }) => (
              <li key={name}>
                <MonoLink to={link("search", { namespace: name })}>{name}</MonoLink>{" "}
                <Link className="small" href={link("datasets", { namespace: name })}>
                  datasets
                </Link>
              </li>
            ))}
          </ul>
          {totalCount > listed.length && <p className="muted">and {count(totalCount - listed.length)} more</p>}
        </>
      )}
    </StartCard>
  );
}

function KnownTags() {
  const { data } = useQuery(TAGS);
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

const POLL_MS = 1_000;
const KEY = ["demo"];

/** Return the run of the demo, unknown unless `isEmpty`, and a function that starts a run. */
function useDemo(isEmpty: boolean) {
  const { me } = useReader();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  // API Gateway names the caller, or a token does: no such stack is on this machine.
  const isLocal = me?.caller === null;
  const { data } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => demo(signal),
    retry: false,
    gcTime: 0,
    enabled: ({ state }) => (isEmpty && isLocal) || state.data?.state === "RUNNING",
    refetchInterval: ({ state }) => (state.data?.state === "RUNNING" ? POLL_MS : false),
  });
  const before = useRef(data?.state);
  useEffect(() => {
    if (before.current === "RUNNING" && data?.state === "COMPLETED" && data.link) navigate(`/${data.link}`);
    before.current = data?.state;
  }, [data, navigate]);
  const load = async () => {
    client.setQueryData(KEY, await startDemo());
  };
  return { demo: data, load };
}

const SHOWN = 6;

function MineCard() {
  const { pinned, seen, owner } = useMine();
  const others = seen.filter(({ id }) => !pinned.some((kept) => kept.id === id));
  return (
    <section className="card" aria-label="mine">
      <h2>Mine</h2>
      {pinned.length === 0 && (
        <p className="muted">
          Press <b>Pin</b> beside the name of a dataset, a job or a column.
        </p>
      )}
      <ul className="plain">
        {pinned.map((kept) => (
          <Line key={kept.id} kept={kept}>
            <button
              className="icon"
              aria-label={`unpin ${kept.name}`}
              title="Take it from here"
              onClick={() => mine.togglePin(kept)}
            >
              <SignOf of="close" />
            </button>
          </Line>
        ))}
      </ul>
      {others.length > 0 && (
        <>
          <h3>Last seen</h3>
          <Lines list={others.slice(0, SHOWN)} />
          {others.length > SHOWN && (
            <details>
              <summary className="muted">{others.length - SHOWN} more</summary>
              <Lines list={others.slice(SHOWN)} />
            </details>
          )}
        </>
      )}
      <div className="actions small">
        <label>
          <input type="checkbox" checked={mine.remembers} onChange={(event) => mine.remember(event.target.checked)} />{" "}
          Keep what I look at, in this browser
        </label>
        {(pinned.length > 0 || seen.length > 0 || owner) && <Chip press={mine.forget}>Forget all</Chip>}
      </div>
    </section>
  );
}

const Lines = ({ list }: { list: readonly Kept[] }) => (
  <ul className="plain">
    {list.map((kept) => (
      <Line key={kept.id} kept={kept} />
    ))}
  </ul>
);

const Line = ({ kept, children }: { kept: Kept; children?: ReactNode }) => (
  <li className="spread">
    <NodeLink id={kept.id} name={kept.name} where={kept.namespace} />
    {children}
  </li>
);
