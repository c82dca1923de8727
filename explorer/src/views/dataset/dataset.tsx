/** A dataset: its schema, versions, columns' sources and facets. */

import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "wouter";
import { type Dataset, datasetTestHistory, dataset as fetchDataset, testsOf } from "../../api/queries";
import { OF_DATASET } from "../../features";
import { LinkButton } from "../../parts/controls";
import { Edit } from "../../parts/edit";
import { Facets, Loaded, NodeHead, NodeLink, Nothing, useTitle } from "../../parts/frame";
import { useReader } from "../../parts/me";
import { type ColumnOf, LongTable } from "../../parts/table";
import { Tabs, type TabTitles } from "../../parts/tabs";
import { TestList } from "../../parts/tests";
import { datasetId, fieldId } from "../../url/ids";
import { columnsLink, link, mapLink } from "../../url/state";
import { About } from "./about";
import { Neighbours } from "./neighbours";
import { Schema } from "./schema";
import { Versions } from "./versions";

const TABS: TabTitles = [
  ["", "Schema"],
  ["versions", "Changes"],
  ["columns", "Columns’ sources"],
  ["tests", "Tests"],
  ["facets", "Facets"],
];

export function DatasetView() {
  const query = new URLSearchParams(useSearch());
  const [node, tab] = [query.get("node") ?? "", query.get("tab") ?? ""];
  const { can } = useReader();
  const result = useQuery({ ...fetchDataset(node), enabled: node !== "" });
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
            <Actions dataset={about} node={node} />
            <Neighbours dataset={{ ...about.id, node }} />
            <About dataset={about} />
            <Tabs view="dataset" node={node} tab={tab} of={TABS} />
            {tab === "" && <Schema dataset={about} />}
            {tab === "versions" &&
              OF_DATASET.map(([feature, Card]) => can(feature) && <Card key={feature} node={node} />)}
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

function Actions({ dataset, node }: { dataset: Dataset; node: string }) {
  return (
    <div className="actions">
      <Link className="button main" href={mapLink({ node })}>
        Map
      </Link>
      <LinkButton to={columnsLink({ node })}>Columns</LinkButton>
      <LinkButton to={link("impact", { node })}>Impact</LinkButton>
      <LinkButton to={mapLink({ node, sel: node, why: true })}>Why?</LinkButton>
      <Edit id={node} namespace={dataset.namespace} />
    </div>
  );
}

const TESTS_MAX = 100;

function Tests({ node }: { node: string }) {
  const last = useQuery(testsOf(node));
  const history = useQuery(datasetTestHistory(node, TESTS_MAX));
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

type Source = NonNullable<Dataset["columnLineage"]>[number]["inputFields"][number];

function Sources({ dataset }: { dataset: Dataset }) {
  if (!dataset.columnLineage?.length)
    return (
      <Nothing title="Nothing is reported of what its columns are made of">
        Jobs report it in the facet <code>columnLineage</code>; on Spark, <code>capture(spark)</code> does.
      </Nothing>
    );
  return (
    <section className="card">
      <LongTable
        label="columns’ sources"
        columns={sourceColumns(dataset)}
        rows={dataset.columnLineage}
        keyOf={({ name }) => name}
      />
    </section>
  );
}

const sourceColumns = (dataset: Dataset): ColumnOf<NonNullable<Dataset["columnLineage"]>[number]>[] => [
  {
    name: "Column",
    look: "mono",
    by: ({ name }) => name,
    cell: ({ name }) => <Link href={columnsLink({ node: fieldId(dataset, name) })}>{name}</Link>,
  },
  {
    name: "Made of",
    cell: ({ inputFields }) => inputFields.map((source, place) => <SourceLine key={place} source={source} />),
  },
];

function SourceLine({ source: { namespace, dataset, field, transformations } }: { source: Source }) {
  const of = { namespace, name: dataset };
  return (
    <div>
      <NodeLink
        id={field === null ? datasetId(of) : fieldId(of, field)}
        name={`${dataset}${field === null ? "" : `.${field}`}`}
        where={null}
      />{" "}
      <span className="muted small">
        {transformations
          .map(
            ({ type, subtype, description }) => description || `${type}${subtype ? ` ${subtype}` : ""}`.toLowerCase(),
          )
          .join("; ")}
      </span>
    </div>
  );
}
