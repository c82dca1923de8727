/** What stands beside the map: the facts, actions and neighbours of the selected node. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { dataset as fetchDataset, testsOf } from "../../api/queries";
import { count, duration } from "../../model/format";
import { type Freshness, writtenAt } from "../../model/freshness";
import { arrowKey, degreeOf, type Item, type Lineage, rankOf } from "../../model/graph";
import { titleOf, titleOfId } from "../../model/titles";
import { Button, Chip, CloseButton, Counted, Fact, LinkButton, MainLink, MonoLink } from "../../parts/controls";
import { Tags, TestList, TestsOf, Written } from "../../parts/facts";
import { Asked, NodeLink, pageOf, When } from "../../parts/frame";
import { KindOf, Stale, StateOf } from "../../parts/signs";
import { type ColumnOf, LongTable } from "../../parts/table";
import { fieldId } from "../../url/ids";
import { columnsLink, link, mapLink, type Side } from "../../url/state";
import { ErrorOf, Why } from "./fold";
import type { OpenMap } from "./open-map";

const TESTS_MAX = 12;

export function NodePanel({ item, map }: { item: Item; map: OpenMap }) {
  const { state, actions, picture } = map;
  const [why, setWhy] = useState(state.why && item.id === state.node);
  return (
    <aside className="side" aria-label={`about ${item.name}`}>
      <CloseButton close={actions.clear} />
      <div className="kind-word">
        <KindOf of={item.kind} namespace={item.namespace} /> {item.kind === "job" ? "Job" : "Dataset"}
      </div>
      <h1>{titleOf(item)}</h1>
      <div className="where mono">
        {item.namespace}
        {titleOf(item) !== item.name && (
          <>
            <br />
            {item.name}
          </>
        )}
      </div>
      {item.description && <p>{item.description}</p>}
      <div className="actions">
        <MainLink to={mapLink({ node: item.id, at: state.at, vs: state.vs })}>Centre here</MainLink>
        <LinkButton to={pageOf(item.id)}>Open</LinkButton>
        {item.kind === "dataset" && <LinkButton to={columnsLink({ node: item.id, at: state.at })}>Columns</LinkButton>}
        <LinkButton to={link("impact", { node: item.id })}>Impact</LinkButton>
        <Button on={why} press={() => setWhy(!why)}>
          Why?
        </Button>
      </div>
      {why && <Why item={item} state={state} drawn={picture.shown.hops} choose={actions.choose} />}
      <Facts item={item} freshness={picture.freshness.get(item.id)} />
      {item.state === "FAILED" && item.runId && <ErrorOf run={item.runId} />}
      {(["up", "down"] as const).map((side) => (
        <Neighbours key={side} side={side} item={item} map={map} />
      ))}
      {item.tests && item.tests.failed + item.tests.warned > 0 && <Failures item={item} at={state.at} />}
      {item.fieldCount > 0 && <Schema key={item.id} item={item} />}
    </aside>
  );
}

/** The tests that fail: the graph has their numbers alone. */
const Failures = ({ item, at }: { item: Item; at: string }) => (
  <section>
    <h2>Failing tests</h2>
    <Asked query={testsOf(item.id, at)} rows={2}>
      {({ tests }) => <TestList results={tests.filter(({ outcome }) => outcome !== "PASSED").slice(0, TESTS_MAX)} />}
    </Asked>
  </section>
);

/** A dataset's columns: a map fetched in short has only their number. */
function Schema({ item }: { item: Item }) {
  const { data } = useQuery({ ...fetchDataset(item.id), enabled: item.fields.length === 0 });
  const fields = data?.fields ?? item.fields;
  return (
    <section>
      <Counted title="Columns" of={count(item.fieldCount)} />
      <LongTable label="columns" columns={COLUMNS} rows={fields.map((field) => ({ ...field, item }))} height="60vh" />
    </section>
  );
}

type Field = Item["fields"][number] & { item: Item };

const COLUMNS: ColumnOf<Field>[] = [
  {
    name: "Column",
    look: "mono",
    cell: ({ item, name, description }) => (
      <>
        <Link href={columnsLink({ node: fieldId(item, name) })}>{name}</Link>
        {description && <div className="small muted">{description}</div>}
      </>
    ),
  },
  { name: "Type", look: "muted", by: ({ type }) => type ?? "" },
];

const TITLES = { job: { up: "Reads", down: "Writes" }, dataset: { up: "Written by", down: "Read by" } };
const OF_DATASETS = { up: "Made of", down: "Made into" },
  OF_JOBS = { up: "Takes data from", down: "Gives data to" },
  WAITS = { up: "Waits for", down: "Waited for by" };

/** What a neighbour is to a node: jobs and datasets may be neighbours of their own kind. */
function titleOfNeighbour(lineage: Lineage, item: Item, id: string, side: Side): string {
  if (lineage.items.get(id)?.kind !== item.kind) return TITLES[item.kind][side];
  if (item.kind === "dataset") return OF_DATASETS[side];
  return (
    lineage.controls.has(arrowKey(side === "up" ? { from: id, to: item.id } : { from: item.id, to: id }))
      ? WAITS
      : OF_JOBS
  )[side];
}

const SHOWN_MAX = 12;

interface Props {
  side: Side;
  item: Item;
  map: OpenMap;
}

function Neighbours({ side, item, map: { picture, actions } }: Props) {
  const { lineage } = picture;
  return groupsOf(lineage, item, side).map(({ title, ids, count: all }) => {
    const left = all - Math.min(ids.length, SHOWN_MAX);
    return (
      <section key={title}>
        <Counted title={title} of={count(all)} />
        <ul className="plain">
          {ids.slice(0, SHOWN_MAX).map((id) => (
            <li key={id}>
              <NodeLink id={id} name={lineage.items.get(id)?.name ?? id} where={null} href={mapLink({ node: id })} />{" "}
              <Chip press={() => actions.choose(id)}>select</Chip>
            </li>
          ))}
        </ul>
        {left > 0 && <Button press={() => actions.open(item.id, side)}>{count(left)} more: open on the map</Button>}
      </section>
    );
  });
}

interface Group {
  title: string;
  ids: readonly string[];
  /** The number of neighbours; more than `ids` where not all are loaded. */
  count: number;
}

function groupsOf(lineage: Lineage, item: Item, side: Side): Group[] {
  const ids = lineage[side].get(item.id) ?? [];
  const usual = TITLES[item.kind][side];
  const hidden = degreeOf(lineage, item.id)[side] - ids.length;
  const groups = new Map<string, string[]>(hidden > 0 ? [[usual, []]] : []);
  for (const id of ids) {
    const title = titleOfNeighbour(lineage, item, id, side);
    groups.set(title, [...(groups.get(title) ?? []), id]);
  }
  return [...groups].map(([title, group]) => ({
    title,
    ids: group,
    count: group.length + (title === usual ? hidden : 0),
  }));
}

interface FactsProps {
  item: Item;
  freshness: Freshness | undefined;
}

const Facts = ({ item, freshness }: FactsProps) => (
  <dl className="facts">
    {item.kind === "job" ? <JobFacts item={item} /> : <DatasetFacts item={item} freshness={freshness} />}
    <TestsOf tests={item.tests} />
    {item.owners.length > 0 && <Fact of="Owners">{item.owners.join(", ")}</Fact>}
    <Fact of="Tags" is={item.tags.length > 0 && <Tags names={item.tags} />} />
  </dl>
);

const JobFacts = ({ item }: { item: Item }) => (
  <>
    <Fact of="Last run" is={<StateOf state={item.state} />} />
    {item.runId && (
      <Fact of="Run">
        <MonoLink to={link("run", { id: item.runId })}>{item.runId}</MonoLink>
      </Fact>
    )}
    {item.incomplete && (
      <Fact of="Lineage">
        <Stale>incomplete</Stale>: the run could not report all of it
      </Fact>
    )}
    {item.otherParts.length > 0 && (
      <Fact of="Other part">
        of {item.otherParts.map(titleOfId).join(", ")}: the run read other partitions or locations than were last
        written
      </Fact>
    )}
    {item.tasks && <Fact of="Tasks">{countsOf(item.tasks)}</Fact>}
    <Fact of="Ended" is={<When time={item.endedAt} />} />
    <Fact of="Took">{duration(item.durationMs)}</Fact>
  </>
);

const countsOf = (tasks: NonNullable<Item["tasks"]>) =>
  Object.entries(tasks)
    .sort(([a], [b]) => rankOf(a) - rankOf(b))
    .map(([state, tasks]) => `${count(tasks)} ${state.toLowerCase()}`)
    .join(", ");

function DatasetFacts({ item, freshness }: FactsProps) {
  // Null where the graph does not say when that was.
  const written = writtenAt(item, freshness);
  return (
    <>
      <Fact of={written ? "Written" : "Last event"}>
        <Written time={written ?? item.touchedAt} freshness={freshness} />
      </Fact>
      {item.stale && (
        <Fact of="State">
          <Stale />: who wrote it last does so no more
        </Fact>
      )}
      {item.temporary && <Fact of="Kind">temporary</Fact>}
    </>
  );
}
