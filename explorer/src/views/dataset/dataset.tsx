/** A dataset: its schema, versions, columns' sources and facets. */

import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "wouter";

import { type Dataset, dataset as fetchDataset } from "../../api/queries";
import { LinkButton } from "../../parts/controls";
import { Edit } from "../../parts/edit";
import { Facets, Loaded, NodeHead, Nothing, useTitle } from "../../parts/frame";
import { Tabs, type TabTitles } from "../../parts/tabs";
import { columnsLink, link, mapLink } from "../../url/state";
import { About } from "./about";
import { Neighbours } from "./neighbours";
import { Schema } from "./schema";
import { Sources } from "./sources";
import { Tests } from "./tests";
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
