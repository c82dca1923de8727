/** A job: its tasks, its runs as bars, what it reads and writes, its versions, its code. */

import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "wouter";

import { errorOf, job as fetchJob, type Job, jobRuns, jobVersions, type Run } from "../../api/queries";
import { shortError } from "../../model/error-text";
import { count, duration, plural } from "../../model/format";
import { parentOf } from "../../model/parent";
import { completedAt, lasting, usualDurationMs, usualGap } from "../../model/rhythm";
import { Edit, SetHere } from "../../parts/edit";
import { Facets, Loaded, NodeHead, NodeLink, Nothing, useTitle, When } from "../../parts/frame";
import { Running } from "../../parts/running";
import { StateOf } from "../../parts/signs";
import { Owners, Tags } from "../../parts/tags";
import { datasetId, jobId } from "../../url/ids";
import { link, mapLink } from "../../url/state";
import { Bars } from "./bars";
import { Tasks } from "./tasks";

const TABS: readonly [string, string][] = [
  ["", "Runs"],
  ["versions", "Versions"],
  ["code", "Code"],
  ["facets", "Facets"],
];
const RUNS_MAX = 60;

export function JobView() {
  const query = new URLSearchParams(useSearch());
  const [node, tab] = [query.get("node") ?? "", query.get("tab") ?? ""];
  const result = useQuery({
    queryKey: ["job", node],
    queryFn: ({ signal }) => fetchJob(node, signal),
    enabled: node !== "",
  });
  useTitle(result.data?.name ?? "Job");
  if (!node) return <Nothing title="No job is chosen">Find one with the box above.</Nothing>;
  return (
    <div className="page">
      <Loaded of={result}>
        {(job) => (
          <>
            <NodeHead id={node} name={job.name} where={job.namespace}>
              {job.description && <p>{job.description}</p>}
            </NodeHead>
            <div className="actions">
              <Link className="button main" href={mapLink({ node })}>
                Map
              </Link>
              <Link className="button" href={link("impact", { node })}>
                Impact
              </Link>
              <Link className="button" href={mapLink({ node, sel: node, why: true })}>
                Why?
              </Link>
              <Edit id={node} namespace={job.namespace} />
            </div>
            <About job={job} />
            <Tasks node={node} />
            <nav className="tabs" aria-label="parts">
              {TABS.map(([value, title]) => (
                <Link
                  key={value}
                  href={link("job", { node, tab: value })}
                  aria-current={tab === value ? "page" : undefined}
                >
                  {title}
                </Link>
              ))}
            </nav>
            {tab === "" && <Runs node={node} />}
            {tab === "versions" && <Versions node={node} />}
            {tab === "code" && <Code facets={job.facets} />}
            {tab === "facets" && <Facets facets={job.facets} />}
          </>
        )}
      </Loaded>
    </div>
  );
}

function About({ job }: { job: Job }) {
  const usualMs = usualDurationMs(job.latestRuns ?? []);
  const gap = job.type === "STREAM" ? null : usualGap(completedAt(job.latestRuns ?? []));
  return (
    <div className="columns2">
      <section className="card">
        <dl className="facts">
          <dt>Last run</dt>
          <dd>
            {job.latestRun?.state === "RUNNING" ? (
              <Running job={jobId(job)} startedAt={job.latestRun.startedAt} />
            ) : (
              <>
                <StateOf state={job.latestRun?.state ?? null} />{" "}
                <When time={job.latestRun?.endedAt ?? job.latestRun?.startedAt ?? null} />
              </>
            )}
            {gap && <span className="muted">, usually {gap}</span>}
          </dd>
          <dt>Took</dt>
          <dd>
            {duration(job.latestRun?.durationMs ?? null)}
            {usualMs !== null && job.latestRun?.state !== "RUNNING" && (
              <span className="muted"> (usually {lasting(usualMs)})</span>
            )}
          </dd>
          <dt>Kind</dt>
          <dd>
            {job.type.toLowerCase()}
            {job.deleted && <span className="removed"> ✕ deleted</span>}
          </dd>
          {job.owners.length > 0 && (
            <>
              <dt>Owners</dt>
              <dd>
                <Owners owners={job.owners} />
              </dd>
            </>
          )}
          {job.tags.length > 0 && (
            <>
              <dt>Tags</dt>
              <dd>
                <Tags names={job.tags} />
              </dd>
            </>
          )}
          <SetHere of={job} />
          {job.parentJobName && (
            <>
              <dt>Part of</dt>
              <dd>
                <ParentLink job={job} />
              </dd>
            </>
          )}
          {job.location && (
            <>
              <dt>Location</dt>
              <dd>
                <SafeLink url={job.location} />
              </dd>
            </>
          )}
          {job.labels.length > 0 && (
            <>
              <dt>Labels</dt>
              <dd>
                {job.labels.map((label) => (
                  <span key={label} className="chip">
                    {label}
                  </span>
                ))}
              </dd>
            </>
          )}
        </dl>
      </section>
      <section className="card">
        {(["inputs", "outputs"] as const).map((side) => (
          <div key={side}>
            <h2>
              {side === "inputs" ? "Reads" : "Writes"} <span className="muted">{count(job[side].length)}</span>
            </h2>
            <ul className="plain">
              {job[side].slice(0, 20).map((id) => (
                <li key={datasetId(id)}>
                  <NodeLink id={datasetId(id)} name={id.name} where={id.namespace} />
                </li>
              ))}
            </ul>
            {job[side].length > 20 && <p className="muted">and {count(job[side].length - 20)} more on the map</p>}
          </div>
        ))}
        {job.lineageUnknown && <p className="muted">Its runs reported no datasets.</p>}
      </section>
    </div>
  );
}

/** The job that started the last run; of an older one the name alone is known. */
function ParentLink({ job }: { job: Job }) {
  const parent = parentOf(job.latestRun?.facets ?? {});
  const href =
    parent && parent.job.name === job.parentJobName
      ? link("job", { node: jobId(parent.job) })
      : link("search", { q: job.parentJobName });
  return <Link href={href}>{job.parentJobName}</Link>;
}

/** A link only where the address is one of the web. */
export function SafeLink({ url }: { url: string }) {
  return /^https?:\/\//i.test(url) ? (
    <a href={url} rel="noopener noreferrer" target="_blank">
      {url}
    </a>
  ) : (
    <span className="mono">{url}</span>
  );
}

/** A comparison of a run: of a failed one with the last that completed, of others with the one before. */
function Against({ run, before }: { run: Run; before: readonly Run[] }) {
  const isFailed = run.state === "FAILED" || run.state === "ABORTED";
  const other = isFailed ? before.find(({ state }) => state === "COMPLETED") : before[0];
  return other ? (
    <Link href={link("run", { id: run.id, vs: other.id })}>
      against the {isFailed ? "last good one" : "one before"}
    </Link>
  ) : null;
}

function Runs({ node }: { node: string }) {
  const result = useQuery({
    queryKey: ["runs", node, RUNS_MAX],
    queryFn: ({ signal }) => jobRuns(node, RUNS_MAX, signal),
  });
  return (
    <Loaded of={result}>
      {({ runs, totalCount }) =>
        runs.length === 0 ? (
          <Nothing title="It never ran" />
        ) : (
          <section className="card">
            <p className="muted">
              {plural(totalCount, "run")}
              {totalCount > runs.length && `; the newest ${count(runs.length)} are here`}. A bar’s height is how long it
              took.
            </p>
            <Bars runs={runs} />
            <table className="table">
              <thead>
                <tr>
                  <th>State</th>
                  <th>Started</th>
                  <th className="number">Took</th>
                  <th>Run</th>
                  <th>Error</th>
                  <th>See</th>
                </tr>
              </thead>
              <tbody>
                {runs.map((run, index) => (
                  <tr key={run.id}>
                    <td className="fixed">
                      <StateOf state={run.state} />
                    </td>
                    <td className="fixed">
                      <When time={run.startedAt ?? run.createdAt} />
                    </td>
                    <td className="number fixed">{duration(run.durationMs)}</td>
                    <td className="mono">
                      <Link href={link("run", { id: run.id })}>{run.id}</Link>
                    </td>
                    <td>
                      {shortError(errorOf(run.facets) ?? "")
                        .split("\n")
                        .pop()
                        ?.slice(0, 160)}
                    </td>
                    <td className="fixed">
                      <Against run={run} before={runs.slice(index + 1)} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        )
      }
    </Loaded>
  );
}

function Versions({ node }: { node: string }) {
  const result = useQuery({
    queryKey: ["job-versions", node],
    queryFn: ({ signal }) => jobVersions(node, 100, signal),
  });
  return (
    <Loaded of={result}>
      {({ versions, totalCount }) => (
        <section className="card">
          <p className="muted">
            {plural(totalCount, "version")}, newest first: another one begins where code, inputs or outputs change.
          </p>
          <table className="table">
            <thead>
              <tr>
                <th>Since</th>
                <th>Version</th>
                <th>Code</th>
                <th>Reads</th>
                <th>Writes</th>
              </tr>
            </thead>
            <tbody>
              {versions.map((version, index) => {
                const before = versions[index + 1];
                return (
                  <tr key={version.version}>
                    <td className="fixed">
                      <When time={version.createdAt} />
                    </td>
                    <td className="mono">{version.version.slice(0, 8)}</td>
                    <td className="mono">
                      {version.codeVersion?.slice(0, 12) ?? "–"}
                      {before && before.codeVersion !== version.codeVersion && (
                        <span className="changed"> ~ changed</span>
                      )}
                    </td>
                    <td>
                      <Ids now={version.inputs} before={before?.inputs} />
                    </td>
                    <td>
                      <Ids now={version.outputs} before={before?.outputs} />
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </section>
      )}
    </Loaded>
  );
}

interface Named {
  namespace: string;
  name: string;
}

function Ids({ now, before }: { now: readonly Named[]; before?: readonly Named[] | undefined }) {
  const was = new Set(before?.map(datasetId)),
    is = new Set(now.map(datasetId));
  return (
    <ul className="plain">
      {now.map((id) => (
        <li key={datasetId(id)} className={before && !was.has(datasetId(id)) ? "added" : ""}>
          {before && !was.has(datasetId(id)) && "+ "}
          {id.name}
        </li>
      ))}
      {before
        ?.filter((id) => !is.has(datasetId(id)))
        .map((id) => (
          <li key={datasetId(id)} className="removed">
            − {id.name}
          </li>
        ))}
    </ul>
  );
}

const CODE: readonly [string, string][] = [
  ["sql", "query"],
  ["sourceCode", "sourceCode"],
  ["sourceCodeLocation", "url"],
];

function Code({ facets }: { facets: Record<string, unknown> }) {
  const parts = CODE.flatMap(([name, key]) => {
    const facet = facets[name];
    const text = typeof facet === "object" && facet !== null ? (facet as Record<string, unknown>)[key] : undefined;
    return typeof text === "string" ? [{ name, text }] : [];
  });
  if (!parts.length)
    return (
      <Nothing title="No code was sent">
        Jobs send it in the facets <code>sql</code>, <code>sourceCode</code> and <code>sourceCodeLocation</code>.
      </Nothing>
    );
  return (
    <>
      {parts.map(({ name, text }) => (
        <section key={name} className="card">
          <h2 className="mono">{name}</h2>
          {name === "sourceCodeLocation" ? <SafeLink url={text} /> : <pre>{text}</pre>}
        </section>
      ))}
    </>
  );
}
