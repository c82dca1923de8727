/** What stands beside the map: the facts and actions of the selected node. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";

import { testsOf } from "../../api/queries";
import { writtenAt } from "../../model/freshness";
import type { Item } from "../../model/graph";
import { titleOf } from "../../model/titles";
import { CloseButton, LinkButton } from "../../parts/controls";
import { Loaded, pageOf } from "../../parts/frame";
import { KindOf } from "../../parts/signs";
import { TestList } from "../../parts/tests";
import { columnsLink, link, mapLink } from "../../url/state";
import { DatasetFacts, JobFacts } from "./facts";
import { Neighbours } from "./neighbours";
import type { OpenMap } from "./open-map";
import { Schema } from "./schema";
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
        <Link className="button main" href={mapLink({ node: item.id, at: state.at, vs: state.vs })}>
          Centre here
        </Link>
        <LinkButton to={pageOf(item.id)}>Open</LinkButton>
        {item.kind === "dataset" && <LinkButton to={columnsLink({ node: item.id, at: state.at })}>Columns</LinkButton>}
        <LinkButton to={link("impact", { node: item.id })}>Impact</LinkButton>
        <button className="button" aria-pressed={why} onClick={() => setWhy(!why)}>
          Why?
        </button>
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
