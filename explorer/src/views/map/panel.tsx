/** What stands beside the map: the facts and actions of the selected node. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { dataset as fetchDataset, testsOf } from "../../api/queries";
import { count } from "../../model/format";
import { writtenAt } from "../../model/freshness";
import type { Item } from "../../model/graph";
import { titleOf } from "../../model/titles";
import { Button, CloseButton, Counted, LinkButton, MainLink } from "../../parts/controls";
import { Loaded, pageOf } from "../../parts/frame";
import { KindOf } from "../../parts/signs";
import { type ColumnOf, LongTable } from "../../parts/table";
import { TestList } from "../../parts/tests";
import { fieldId } from "../../url/ids";
import { columnsLink, link, mapLink } from "../../url/state";
import { DatasetFacts, JobFacts } from "./facts";
import { Neighbours } from "./neighbours";
import type { OpenMap } from "./open-map";
import { Why } from "./why";

const TESTS_MAX = 12;

export function NodePanel({ item, map }: { item: Item; map: OpenMap }) {
  const { state, actions, picture } = map;
  const { lineage } = picture;
  const freshness = picture.freshness.get(item.id);
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
      {item.kind === "job" ? (
        <JobFacts item={item} />
      ) : (
        <DatasetFacts
          item={item}
          written={writtenAt(lineage, item.id) ?? freshness?.written ?? null}
          freshness={freshness}
        />
      )}
      {(["up", "down"] as const).map((side) => (
        <Neighbours key={side} side={side} item={item} map={map} />
      ))}
      {item.tests && item.tests.failed + item.tests.warned > 0 && <Failures item={item} at={state.at} />}
      {item.fieldCount > 0 && <Schema key={item.id} item={item} />}
    </aside>
  );
}

/** The tests that fail: the graph has their numbers alone. */
function Failures({ item, at }: { item: Item; at: string }) {
  const result = useQuery(testsOf(item.id, at));
  return (
    <section>
      <h2>Failing tests</h2>
      <Loaded of={result} rows={2}>
        {({ tests }) => <TestList results={tests.filter(({ outcome }) => outcome !== "PASSED").slice(0, TESTS_MAX)} />}
      </Loaded>
    </section>
  );
}

/** A dataset's columns: a map fetched in short has only their number. */
export function Schema({ item }: { item: Item }) {
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
