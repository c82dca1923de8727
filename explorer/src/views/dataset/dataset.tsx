/** A dataset: its schema, versions, tests and facets. */

import { useQuery } from "@tanstack/react-query";
import { Redirect } from "wouter";
import { type Dataset, datasetTestHistory, dataset as fetchDataset, type TestResult, testsOf } from "../../api/queries";
import { OF_DATASET } from "../../features";
import { LinkButton, MainLink, Tabs, type TabTitles } from "../../parts/controls";
import { Edit } from "../../parts/edit";
import { Asked, EmptyState, Facets, Loaded, NodeHead, useAddress, useTitle } from "../../parts/frame";
import { useReader } from "../../parts/me";
import { TestList } from "../../parts/tests";
import { columnsLink, link, mapLink } from "../../url/state";
import { About } from "./about";
import { Neighbours } from "./neighbours";
import { Schema } from "./schema";
import { Versions } from "./versions";

const TABS: TabTitles = [
  ["", "Schema"],
  ["versions", "Changes"],
  ["tests", "Tests"],
  ["facets", "Facets"],
];

export function DatasetView() {
  const { node, tab, all } = useAddress("node", "tab", "all");
  const { can } = useReader();
  const result = useQuery({ ...fetchDataset(node), enabled: node !== "" });
  useTitle(result.data?.name ?? "Dataset");
  // An address of an older page: the columns show what each is made of.
  if (tab === "columns") return <Redirect to={columnsLink({ node, list: true })} replace />;
  if (!node) return <EmptyState title="No dataset is chosen">Find one with the box above.</EmptyState>;
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
            <Tabs of={TABS} tab={tab} to={(other) => link("dataset", { node, tab: other })} />
            {tab === "" && <Schema dataset={about} />}
            {tab === "versions" &&
              OF_DATASET.map(([feature, Card]) => can(feature) && <Card key={feature} node={node} />)}
            {tab === "versions" && <Versions node={node} isAll={all === "1"} />}
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
      <MainLink to={mapLink({ node })}>Map</MainLink>
      <LinkButton to={columnsLink({ node })}>Columns</LinkButton>
      <LinkButton to={link("impact", { node })}>Impact</LinkButton>
      <LinkButton to={mapLink({ node, sel: node, why: true })}>Why?</LinkButton>
      <Edit id={node} namespace={dataset.namespace} />
    </div>
  );
}

const TESTS_MAX = 100;

const Results = ({ title, of, left }: { title: string; of: readonly TestResult[]; left: string | false }) => (
  <section className="card">
    <h2>{title}</h2>
    <TestList results={of} />
    {left && <p className="small muted">{left}</p>}
  </section>
);

const Tests = ({ node }: { node: string }) => (
  <Asked query={testsOf(node)}>
    {({ tests, truncated }) =>
      tests.length === 0 ? (
        <EmptyState title="No result of a test was reported">
          A job reports it in the facet <code>dataQualityAssertions</code>.
        </EmptyState>
      ) : (
        <>
          <Results title="Last results" of={tests} left={truncated && "There are more than are kept."} />
          <Asked query={datasetTestHistory(node, TESTS_MAX)}>
            {(all) => <Results title="History" of={all.tests} left={all.truncated && "Older results are not here."} />}
          </Asked>
        </>
      )
    }
  </Asked>
);
