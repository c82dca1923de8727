/** A job: its tasks, its runs as bars, what it reads and writes, its versions, its code. */

import { useQuery } from "@tanstack/react-query";

import { job as fetchJob } from "../../api/queries";
import { LinkButton, MainLink, Tabs, type TabTitles } from "../../parts/controls";
import { Edit } from "../../parts/edit";
import { EmptyState, Facets, Loaded, NodeHead, useAddress, useTitle } from "../../parts/frame";
import { link, mapLink } from "../../url/state";
import { About } from "./about";
import { Code } from "./code";
import { Runs } from "./runs";
import { FailedTasks, Tasks } from "./tasks";
import { Versions } from "./versions";

const TABS: TabTitles = [
  ["", "Runs"],
  ["versions", "Versions"],
  ["code", "Code"],
  ["facets", "Facets"],
];

export function JobView() {
  const { node, tab } = useAddress("node", "tab");
  const result = useQuery({ ...fetchJob(node), enabled: node !== "" });
  useTitle(result.data?.name ?? "Job");
  if (!node) return <EmptyState title="No job is chosen">Find one with the box above.</EmptyState>;
  return (
    <div className="page">
      <Loaded of={result}>
        {(job) => (
          <>
            <NodeHead id={node} name={job.name} where={job.namespace}>
              {job.description && <p>{job.description}</p>}
              <FailedTasks node={node} />
            </NodeHead>
            <div className="actions">
              <MainLink to={mapLink({ node })}>Map</MainLink>
              <LinkButton to={link("impact", { node })}>Impact</LinkButton>
              <LinkButton to={mapLink({ node, sel: node, why: true })}>Why?</LinkButton>
              <Edit id={node} namespace={job.namespace} />
            </div>
            <About job={job} />
            <Tasks node={node} />
            <Tabs of={TABS} tab={tab} to={(other) => link("job", { node, tab: other })} />
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
