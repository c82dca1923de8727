/** Why a node is late or wrong: the nearest trouble upstream of it. */

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { run as fetchRun, lineageQuery } from "../../api/queries";
import { plural } from "../../model/format";
import { type Item, type Lineage, showPaths } from "../../model/graph";
import { nearestTroubles, type Trouble } from "../../model/paths";
import { Chip, LinkButton } from "../../parts/controls";
import { RunError } from "../../parts/error-text";
import { Asked, When } from "../../parts/frame";
import { type Marks, useOldData } from "../../parts/old-data";
import { Stale, StateOf } from "../../parts/signs";
import { FailingTests } from "../../parts/tests";
import { link, type MapState, mapLink } from "../../url/state";

const WHY_DEPTH = 20,
  WHY_FOLD = 20;

interface Props {
  item: Item;
  state: MapState;
  /** Ids on the map. */
  drawn: ReadonlyMap<string, number>;
  choose: (id: string) => void;
}

/** The nearest trouble upstream, farther than the map reaches. */
export function Why({ item, ...of }: Props) {
  return (
    <section className="card">
      <h2>Nearest trouble upstream</h2>
      <Asked
        query={lineageQuery({ node: item.id, depth: WHY_DEPTH, at: of.state.at, direction: "up", fold: WHY_FOLD })}
        rows={3}
      >
        {(lineage) => <Troubles lineage={lineage} id={item.id} {...of} />}
      </Asked>
    </section>
  );
}

/** True of a failure later than the dataset, which is on no older failure either. */
const isAfter = ({ items }: Lineage, id: string, { kind, touchedAt }: Item, marks: Marks) => {
  const written = items.get(id)?.writtenAt;
  return kind === "job" && !!written && (touchedAt ?? "") > written && !marks?.get(id)?.isOnOldData;
};

type TroublesProps = { lineage: Lineage; id: string } & Omit<Props, "item">;

function Troubles({ lineage, id, ...of }: TroublesProps) {
  const troubles = useMemo(() => nearestTroubles(lineage, id), [lineage, id]);
  const isPart =
    lineage.truncated ||
    [...lineage.degrees].some(([neighbour, { up }]) => up > (lineage.up.get(neighbour)?.length ?? 0));
  return (
    <>
      {troubles.length === 0 && (
        <p className="muted">No failed or aborted job, no stale dataset and no failing test is known upstream.</p>
      )}
      <ul className="plain">
        {troubles.map((trouble) => (
          <li key={trouble.item.id}>
            <TroubleOf trouble={trouble} lineage={lineage} id={id} {...of} />
          </li>
        ))}
      </ul>
      {isPart && <p className="small muted">Of many neighbours, those that ran last were looked at.</p>}
    </>
  );
}

function TroubleOf({
  trouble: { item, hops },
  lineage,
  id,
  state,
  drawn,
  choose,
}: { trouble: Trouble } & TroublesProps) {
  const marks = useOldData(!state.at);
  return (
    <>
      {drawn.has(item.id) ? <Chip press={() => choose(item.id)}>{item.name}</Chip> : <b>{item.name}</b>}{" "}
      {item.kind === "job" && <StateOf state={item.state} />}
      {item.stale && <Stale />} <FailingTests tests={item.tests} />{" "}
      <span className="muted">
        {plural(hops, "hop")} up, <When time={item.touchedAt} />
        {isAfter(lineage, id, item, marks) && <b>, after this was written</b>}
      </span>
      {item.state === "FAILED" && item.runId && <ErrorOf run={item.runId} />}
      <div className="actions">
        <LinkButton to={mapLink({ ...showPaths(lineage, item.id, id), at: state.at })}>Show the way</LinkButton>
        {item.runId && <LinkButton to={link("run", { id: item.runId })}>Run</LinkButton>}
        {item.owners.length > 0 && <span className="muted">owned by {item.owners.join(", ")}</span>}
      </div>
    </>
  );
}

/** The error of a failed run: the graph does not have it, so it is fetched for the selected job alone. */
export function ErrorOf({ run }: { run: string }) {
  const { data } = useQuery(fetchRun(run));
  return data ? <RunError facets={data.facets} /> : null;
}
