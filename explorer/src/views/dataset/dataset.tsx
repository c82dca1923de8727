/** A dataset: its schema, versions, columns' sources and facets. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useSearch } from "wouter";

import {
  type Dataset,
  type DatasetVersion,
  datasetTestHistory,
  datasetTests,
  datasetVersions,
  dataset as fetchDataset,
  foldedLineage,
} from "../../api/queries";
import { count, plural } from "../../model/format";
import { degreeOf } from "../../model/graph";
import { Edit, SetHere } from "../../parts/edit";
import { Facets, JobLink, Loaded, NodeHead, NodeLink, Nothing, pageOf, useTitle, When } from "../../parts/frame";
import { SignOf, StateOf } from "../../parts/signs";
import { Owners, Tags } from "../../parts/tags";
import { TestList, TestsOf } from "../../parts/tests";
import { datasetId, fieldId } from "../../url/ids";
import { columnsLink, link, mapLink, type Side } from "../../url/state";

const TABS: readonly [string, string][] = [
  ["", "Schema"],
  ["versions", "Versions"],
  ["columns", "Columns’ sources"],
  ["tests", "Tests"],
  ["facets", "Facets"],
];
const VERSIONS_MAX = 100;
const TESTS_MAX = 100;
const FILTERED_FROM = 20;

export function DatasetView() {
  const query = new URLSearchParams(useSearch());
  const [node, tab] = [query.get("node") ?? "", query.get("tab") ?? ""];
  const result = useQuery({
    queryKey: ["dataset", node],
    queryFn: ({ signal }) => fetchDataset(node, signal),
    enabled: node !== "",
  });
  useTitle(result.data?.name ?? "Dataset");
  if (!node) return <Nothing title="No dataset is chosen">Find one with the box above.</Nothing>;
  return (
    <div className="page">
      <Loaded of={result}>
        {(found) => (
          <>
            <NodeHead id={node} name={found.name} where={found.namespace}>
              {found.description && <p>{found.description}</p>}
            </NodeHead>
            <div className="actions">
              <Link className="button main" href={mapLink({ node })}>
                Map
              </Link>
              <Link className="button" href={columnsLink({ node })}>
                Columns
              </Link>
              <Link className="button" href={link("impact", { node })}>
                Impact
              </Link>
              <Edit id={node} namespace={found.namespace} />
            </div>
            <Neighbours node={node} />
            <About dataset={found} />
            <nav className="tabs" aria-label="parts">
              {TABS.map(([value, title]) => (
                <Link
                  key={value}
                  href={link("dataset", { node, tab: value })}
                  aria-current={tab === value ? "page" : undefined}
                >
                  {title}
                </Link>
              ))}
            </nav>
            {tab === "" && <Schema dataset={found} />}
            {tab === "versions" && <Versions node={node} />}
            {tab === "columns" && <Sources dataset={found} />}
            {tab === "tests" && <Tests node={node} />}
            {tab === "facets" && <Facets facets={found.facets} />}
          </>
        )}
      </Loaded>
    </div>
  );
}

/** Who writes a dataset, and who reads it, in one line. */
function Neighbours({ node }: { node: string }) {
  const { data } = useQuery(foldedLineage(node, 0));
  if (!data) return null;
  const jobs = (side: Side) => (data[side].get(node) ?? []).flatMap((id) => data.items.get(id) ?? []);
  const writers = jobs("up"),
    readers = degreeOf(data, node).down;
  const teams = new Set(jobs("down").flatMap(({ owners }) => owners)).size;
  return (
    <p>
      {writers.length === 0 ? (
        "No job writes it now"
      ) : (
        <>
          Written by{" "}
          {writers.slice(0, 3).map((job, index) => (
            <span key={job.id}>
              {index > 0 && ", "}
              <Link href={pageOf(job.id)}>{job.name}</Link> <StateOf state={job.state} /> <When time={job.touchedAt} />
            </span>
          ))}
          {writers.length > 3 && ` and ${count(writers.length - 3)} more`}
        </>
      )}
      {" · "}
      {readers === 0 ? (
        "read by no job"
      ) : (
        <Link href={mapLink({ node, dir: "down" })}>
          read by {plural(readers, "job")}
          {teams > 0 && ` of ${plural(teams, "owner")}`}
        </Link>
      )}
      {" · "}
      <Link href={link("impact", { node })}>What breaks</Link>
    </p>
  );
}

function About({ dataset }: { dataset: Dataset }) {
  return (
    <section className="card">
      <dl className="facts two">
        <dt>Kind</dt>
        <dd>
          {dataset.type === "STREAM" ? "stream" : "table"}
          {dataset.temporary && ", temporary"}
          {dataset.deleted && <span className="removed"> ✕ deleted</span>}
        </dd>
        <dt>Written</dt>
        <dd>
          <When time={dataset.lastModifiedAt} />
        </dd>
        {dataset.lastWrittenBy && (
          <>
            <dt>By</dt>
            <dd>
              <JobLink job={dataset.lastWrittenBy.job} />{" "}
              <Link href={link("run", { id: dataset.lastWrittenBy.runId })}>run</Link>
            </dd>
          </>
        )}
        {dataset.stale && (
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
        <TestsOf tests={dataset.tests ?? null} />
        {dataset.physicalName !== dataset.name && (
          <>
            <dt>Physical name</dt>
            <dd className="mono">{dataset.physicalName}</dd>
          </>
        )}
        {dataset.tags.length > 0 && (
          <>
            <dt>Tags</dt>
            <dd>
              <Tags names={dataset.tags} />
            </dd>
          </>
        )}
        {dataset.owners.length > 0 && (
          <>
            <dt>Owners</dt>
            <dd>
              <Owners owners={dataset.owners} />
            </dd>
          </>
        )}
        <SetHere of={dataset} />
        <dt>Known since</dt>
        <dd>
          <When time={dataset.createdAt} />
        </dd>
        {dataset.currentVersion && (
          <>
            <dt>Version</dt>
            <dd className="mono">{dataset.currentVersion}</dd>
          </>
        )}
      </dl>
    </section>
  );
}

function Schema({ dataset }: { dataset: Dataset }) {
  const [filter, setFilter] = useState("");
  if (!dataset.fields.length)
    return (
      <Nothing title="No schema was reported">
        A job reports it in the facet <code>schema</code> of its inputs and outputs.
      </Nothing>
    );
  const fields = dataset.fields.filter(({ name }) => name.toLowerCase().includes(filter.toLowerCase()));
  const isDescribed = dataset.fields.some(({ description }) => description),
    isTagged = dataset.fields.some(({ tags }) => tags.length);
  return (
    <section className="card">
      {dataset.fields.length >= FILTERED_FROM && (
        <div className="actions">
          <input
            className="field"
            placeholder="filter"
            aria-label="filter the columns"
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
          <span className="muted" role="status">
            {count(fields.length)} of {count(dataset.fields.length)}
          </span>
        </div>
      )}
      <table className="table">
        <thead>
          <tr>
            <th>Column</th>
            <th>Type</th>
            {isDescribed && <th>Description</th>}
            {isTagged && <th>Tags</th>}
            <th>See</th>
          </tr>
        </thead>
        <tbody>
          {fields.map((field) => {
            const id = fieldId(dataset, field.name);
            return (
              <tr key={field.name}>
                <td className="mono">
                  <Link href={columnsLink({ node: id })}>{field.name}</Link>
                </td>
                <td className="mono muted">{field.type ?? "–"}</td>
                {isDescribed && <td>{field.description ?? ""}</td>}
                {isTagged && (
                  <td>
                    <Tags names={field.tags} />
                  </td>
                )}
                <td className="fixed">
                  <Link href={link("impact", { node: id })}>what breaks</Link> ·{" "}
                  <Link href={link("usage", { node: id })}>usage</Link> <Edit id={id} namespace={dataset.namespace} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

function Tests({ node }: { node: string }) {
  const last = useQuery({ queryKey: ["tests", node, ""], queryFn: ({ signal }) => datasetTests(node, "", signal) });
  const history = useQuery({
    queryKey: ["test history", node],
    queryFn: ({ signal }) => datasetTestHistory(node, TESTS_MAX, signal),
  });
  return (
    <Loaded of={last}>
      {({ tests, truncated }) =>
        tests.length === 0 ? (
          <Nothing title="No result of a test was reported">
            A job reports it in the facet <code>dataQualityAssertions</code>.
          </Nothing>
        ) : (
          <>
            <section className="card">
              <h2>Last results</h2>
              <TestList results={tests} />
              {truncated && <p className="small muted">There are more than are kept.</p>}
            </section>
            <Loaded of={history}>
              {(found) => (
                <section className="card">
                  <h2>History</h2>
                  <TestList results={found.tests} />
                  {found.truncated && <p className="small muted">Older results are not here.</p>}
                </section>
              )}
            </Loaded>
          </>
        )
      }
    </Loaded>
  );
}

function Versions({ node }: { node: string }) {
  const result = useQuery({
    queryKey: ["versions", node],
    queryFn: ({ signal }) => datasetVersions(node, VERSIONS_MAX, signal),
  });
  return (
    <Loaded of={result}>
      {({ versions, totalCount }) => (
        <section className="card">
          <p className="muted">
            {plural(totalCount, "version")}, newest first
            {totalCount > versions.length && `; ${count(versions.length)} are here`}
          </p>
          <table className="table">
            <thead>
              <tr>
                <th>Made</th>
                <th>Version</th>
                <th>By run</th>
                <th>Schema against the one before</th>
                <th>See</th>
              </tr>
            </thead>
            <tbody>
              {versions.map((version, index) => (
                <tr key={version.version}>
                  <td className="fixed">
                    <When time={version.createdAt} />
                  </td>
                  <td className="mono">
                    {version.version.slice(0, 8)}{" "}
                    {version.lifecycleState && <span className="chip">{version.lifecycleState}</span>}
                  </td>
                  <td>
                    {version.createdByRun && (
                      <>
                        <StateOf state={version.createdByRun.state} />{" "}
                        <Link href={link("run", { id: version.createdByRun.id })}>{version.createdByRun.job.name}</Link>
                      </>
                    )}
                  </td>
                  <td>
                    <SchemaChange now={version} before={versions[index + 1]} />
                  </td>
                  <td className="fixed">
                    <Link href={mapLink({ node, at: new Date(Date.parse(version.createdAt) + 1).toISOString() })}>
                      map at that time
                    </Link>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </Loaded>
  );
}

function SchemaChange({ now, before }: { now: DatasetVersion; before: DatasetVersion | undefined }) {
  if (!before) return <span className="muted">the first that is known here</span>;
  const was = new Map(before.fields.map(({ name, type }) => [name, type])),
    is = new Map(now.fields.map(({ name, type }) => [name, type]));
  const added = [...is.keys()].filter((name) => !was.has(name)),
    removed = [...was.keys()].filter((name) => !is.has(name));
  const changed = [...is].filter(([name, type]) => was.has(name) && was.get(name) !== type).map(([name]) => name);
  if (!added.length && !removed.length && !changed.length) return <span className="muted">the same</span>;
  return (
    <span className="mono">
      {added.map((name) => (
        <span key={name} className="added">
          + {name}{" "}
        </span>
      ))}
      {removed.map((name) => (
        <span key={name} className="removed">
          − {name}{" "}
        </span>
      ))}
      {changed.map((name) => (
        <span key={name} className="changed">
          ~ {name}: {was.get(name) ?? "?"} → {is.get(name) ?? "?"}{" "}
        </span>
      ))}
    </span>
  );
}

function Sources({ dataset }: { dataset: Dataset }) {
  if (!dataset.columnLineage?.length)
    return (
      <Nothing title="Nothing is reported of what its columns are made of">
        Jobs report it in the facet <code>columnLineage</code>; on Spark, <code>capture(spark)</code> does.
      </Nothing>
    );
  return (
    <section className="card">
      <table className="table">
        <thead>
          <tr>
            <th>Column</th>
            <th>Made of</th>
          </tr>
        </thead>
        <tbody>
          {dataset.columnLineage.map((column) => (
            <tr key={column.name}>
              <td className="mono">
                <Link href={columnsLink({ node: fieldId(dataset, column.name) })}>{column.name}</Link>
              </td>
              <td>
                {column.inputFields.map((source, index) => (
                  <div key={index}>
                    <NodeLink
                      id={
                        source.field === null
                          ? datasetId({ namespace: source.namespace, name: source.dataset })
                          : fieldId({ namespace: source.namespace, name: source.dataset }, source.field)
                      }
                      name={`${source.dataset}${source.field === null ? "" : `.${source.field}`}`}
                      where={null}
                    />{" "}
                    <span className="muted small">
                      {source.transformations
                        .map(
                          ({ type, subtype, description }) =>
                            description || `${type}${subtype ? ` ${subtype}` : ""}`.toLowerCase(),
                        )
                        .join("; ")}
                    </span>
                  </div>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
