/** A dataset: its facts, its schema, versions, tests and facets. */

import "./neighbours.css";

import { useQuery } from "@tanstack/react-query";
import { Link, Redirect } from "wouter";
import {
  type Dataset,
  datasetTestHistory,
  dataset as fetchDataset,
  foldedLineage,
  jobRuns,
  type TestResult,
  testsOf,
} from "../../api/queries";
import { OF_DATASET } from "../../features";
import { rowsWritten, runsThatWrote } from "../../model/facets";
import { completedAt, count, plural, usualGap } from "../../model/format";
import { degreeOf, type Item } from "../../model/graph";
import { Dotted, Fact, LinkButton, MainLink, Tabs, type TabTitles } from "../../parts/controls";
import { Edit, SetHere } from "../../parts/edit";
import { Owners, Tags, TestList, TestsOf, useOldData, Written } from "../../parts/facts";
import {
  Asked,
  EmptyState,
  Facets,
  JobLink,
  Loaded,
  NodeHead,
  pageOf,
  useAddress,
  useTitle,
  When,
} from "../../parts/frame";
import { useReader } from "../../parts/reader";
import { Stale, StateOf } from "../../parts/signs";
import { datasetId } from "../../url/ids";
import { columnsLink, link, mapLink, type Side } from "../../url/state";
import { Schema, Versions } from "./schema";

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
            <div className="actions">
              <MainLink to={mapLink({ node })}>Map</MainLink>
              <LinkButton to={columnsLink({ node })}>Columns</LinkButton>
              <LinkButton to={link("impact", { node })}>Impact</LinkButton>
              <LinkButton to={mapLink({ node, sel: node, why: true })}>Why?</LinkButton>
              <Edit id={node} namespace={about.namespace} />
            </div>
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

const WRITERS_MAX = 3;
const RUNS_MAX = 10;

function Neighbours({ dataset }: { dataset: { namespace: string; name: string; node: string } }) {
  const { node } = dataset;
  const { data } = useQuery(foldedLineage(node, 0));
  if (!data) return null;
  const jobs = (side: Side) => (data[side].get(node) ?? []).flatMap((id) => data.items.get(id) ?? []);
  const writers = jobs("up"),
    readers = degreeOf(data, node).down;
  const teams = new Set(jobs("down").flatMap(({ owners }) => owners)).size;
  return (
    <p>
      <Dotted>
        {writers.length ? <Writers jobs={writers} dataset={dataset} /> : "No job writes it now"}
        {readers === 0 ? (
          "read by no job"
        ) : (
          <Link href={mapLink({ node, dir: "down" })}>
            read by {plural(readers, "job")}
            {teams > 0 && ` of ${plural(teams, "owner")}`}
          </Link>
        )}
        <Link href={link("impact", { node })}>What breaks</Link>
      </Dotted>
    </p>
  );
}

function Writers({ jobs, dataset }: { jobs: readonly Item[]; dataset: { namespace: string; name: string } }) {
  return (
    <>
      Written by{" "}
      {jobs.slice(0, WRITERS_MAX).map((job, index) => (
        <span key={job.id}>
          {index > 0 && ", "}
          <Link href={pageOf(job.id)}>{job.name}</Link> <StateOf state={job.state} /> <When time={job.touchedAt} />
          {index === 0 && <LastRuns job={job.id} dataset={dataset} isOnly={jobs.length === 1} />}
        </span>
      ))}
      {jobs.length > WRITERS_MAX && ` and ${count(jobs.length - WRITERS_MAX)} more`}
    </>
  );
}

interface Props {
  job: string;
  dataset: { namespace: string; name: string };
  isOnly: boolean;
}

/** How often its only writer writes it, and the rows of the last runs: the newest as a number; the others are bars. */
function LastRuns({ job, dataset, isOnly }: Props) {
  const { data } = useQuery(jobRuns(job, RUNS_MAX));
  const gap = isOnly ? usualGap(completedAt(runsThatWrote(data?.runs ?? [], dataset))) : null;
  const rows = rowsWritten(data?.runs ?? [], dataset);
  if (rows[0] === undefined) return gap && <span className="muted">, usually {gap}</span>;
  const most = Math.max(1, ...rows);
  const said = [...rows].reverse().map(count).join(", ");
  return (
    <>
      {gap && <span className="muted">, usually {gap}</span>}, {plural(rows[0], "row")}{" "}
      <span className="spark" role="img" aria-label={`rows of the last runs, oldest first: ${said}`} title={said}>
        {[...rows].reverse().map((value, place) => (
          <i key={place} style={{ height: `${15 + 85 * (value / most)}%` }} />
        ))}
      </span>
    </>
  );
}

function About({ dataset }: { dataset: Dataset }) {
  return (
    <section className="card">
      <dl className="facts two">
        <Fact of="Kind">
          {dataset.type === "STREAM" ? "stream" : "table"}
          {dataset.temporary && ", temporary"}
          {dataset.deleted && <span className="removed"> ✕ deleted</span>}
        </Fact>
        <Writing dataset={dataset} />
        <TestsOf tests={dataset.tests ?? null} />
        <Fact of="Physical name" isMono is={dataset.physicalName !== dataset.name && dataset.physicalName} />
        <Fact of="Tags" is={dataset.tags.length > 0 && <Tags names={dataset.tags} />} />
        <Fact of="Owners" is={dataset.owners.length > 0 && <Owners owners={dataset.owners} />} />
        <SetHere of={dataset} />
        <Fact of="Known since" is={<When time={dataset.createdAt} />} />
        <Fact of="Version" isMono is={dataset.currentVersion} />
      </dl>
    </section>
  );
}

function Writing({ dataset: { id, lastModifiedAt, lastWrittenBy, stale } }: { dataset: Dataset }) {
  const marks = useOldData();
  return (
    <>
      <Fact of="Written" is={<Written time={lastModifiedAt} freshness={marks?.get(datasetId(id))} />} />
      {lastWrittenBy && (
        <Fact of="By">
          <JobLink job={lastWrittenBy.job} /> <Link href={link("run", { id: lastWrittenBy.runId })}>run</Link>
        </Fact>
      )}
      {stale && (
        <Fact of="State">
          <Stale />: who wrote it last does so no more
        </Fact>
      )}
    </>
  );
}
