/** A dataset: its schema, versions, columns' sources and facets. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useSearch } from "wouter";

import { type Dataset, datasetTestHistory, datasetTests, dataset as fetchDataset } from "../../api/queries";
import { count } from "../../model/format";
import { Edit, SetHere } from "../../parts/edit";
import { Facets, JobLink, Loaded, NodeHead, NodeLink, Nothing, useTitle, When } from "../../parts/frame";
import { SignOf } from "../../parts/signs";
import { Owners, Tags } from "../../parts/tags";
import { TestList, TestsOf } from "../../parts/tests";
import { datasetId, fieldId } from "../../url/ids";
import { columnsLink, link, mapLink } from "../../url/state";
import { Neighbours } from "./neighbours";
import { Versions } from "./versions";

const TABS: readonly [string, string][] = [
  ["", "Schema"],
  ["versions", "Changes"],
  ["columns", "Columns’ sources"],
  ["tests", "Tests"],
  ["facets", "Facets"],
];
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
        {(about) => (
          <>
            <NodeHead id={node} name={about.name} where={about.namespace}>
              {about.description && <p>{about.description}</p>}
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
              <Link className="button" href={mapLink({ node, sel: node, why: true })}>
                Why?
              </Link>
              <Edit id={node} namespace={about.namespace} />
            </div>
            <Neighbours dataset={{ ...about.id, node }} />
            <About dataset={about} />
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
            {tab === "" && <Schema dataset={about} />}
            {tab === "versions" && <Versions node={node} isAll={query.get("all") === "1"} />}
            {tab === "columns" && <Sources dataset={about} />}
            {tab === "tests" && <Tests node={node} />}
            {tab === "facets" && <Facets facets={about.facets} />}
          </>
        )}
      </Loaded>
    </div>
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
              {(answer) => (
                <section className="card">
                  <h2>History</h2>
                  <TestList results={answer.tests} />
                  {answer.truncated && <p className="small muted">Older results are not here.</p>}
                </section>
              )}
            </Loaded>
          </>
        )
      }
    </Loaded>
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
