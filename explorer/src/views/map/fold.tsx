/** Parts of what stands beside the map: the neighbours of a fold, page by page; why a node is late or wrong. */

import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { Link } from "wouter";
import { run as fetchRun, lineageQuery, type NeighbourPage, neighbours } from "../../api/queries";
import { moreOf } from "../../draw/fold-box";
import { plural } from "../../model/format";
import { DRAWN_MAX, type Fold, type Item, type Lineage, showPaths } from "../../model/graph";
import { nearestTroubles, type Trouble } from "../../model/paths";
import { titleOf } from "../../model/titles";
import { Button, Chip, CloseButton, Filter, LinkButton } from "../../parts/controls";
import { FailingTests, type Marks, RunError, useOldData } from "../../parts/facts";
import { useSettled } from "../../parts/find";
import { Asked, ErrorState, NodeLink, pageOf, Skeleton, When } from "../../parts/frame";
import { Stale, StateOf } from "../../parts/signs";
import { nameOf } from "../../url/ids";
import { link, type MapState, mapLink } from "../../url/state";
import type { OpenMap } from "./open-map";

export const FoldPanel = ({ fold, map }: { fold: Fold; map: OpenMap }) => (
  <aside className="side" aria-label={moreOf(fold)}>
    <CloseButton close={() => map.actions.to({ sel: "" })} />
    <h1>{moreOf(fold)}</h1>
    {fold.words ? (
      <p>
        Tasks of {titleOf(nameOf(fold.of))}, and of its tasks. <Link href={pageOf(fold.of)}>List the tasks</Link>
      </p>
    ) : (
      <OfNeighbours fold={fold} map={map} />
    )}
  </aside>
);

function OfNeighbours({ fold, map: { state, picture, actions } }: { fold: Fold; map: OpenMap }) {
  const mark = `${fold.side}:${fold.of}`;
  const change = (to: Partial<MapState>) => actions.to(to, fold.of);
  return (
    <>
      <p className="muted">
        {fold.side === "up" ? "Upstream" : "Downstream"} of {titleOf(nameOf(fold.of))}. Those that ran last are drawn.
      </p>
      {!state.all.includes(mark) && (
        <div className="actions">
          <Button press={() => change({ all: [...state.all, mark], sel: "" })}>
            Draw {fold.count > DRAWN_MAX ? `${DRAWN_MAX} of them` : "all"}
          </Button>
        </div>
      )}
      {state.at ? (
        <p className="muted">The list is known of the present alone.</p>
      ) : (
        <FoldedNeighbours
          key={mark}
          fold={fold}
          drawn={picture.shown.hops}
          draw={(id) => change({ pick: [...state.pick, id] })}
        />
      )}
    </>
  );
}

function useNeighbours({ of, side }: Fold, q: string) {
  return useInfiniteQuery({
    queryKey: ["neighbours", of, side, q],
    queryFn: ({ pageParam, signal }): Promise<NeighbourPage> => neighbours(of, side, q, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor ?? undefined,
    placeholderData: keepPreviousData,
  });
}

interface Props {
  fold: Fold;
  drawn: ReadonlyMap<string, number>;
  draw: (id: string) => void;
}

function FoldedNeighbours({ fold, drawn, draw }: Props) {
  const [typed, setTyped] = useState("");
  const result = useNeighbours(fold, useSettled(typed));
  const items = result.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      <Filter label="search by name" value={typed} set={setTyped} hint="Search by name" look="whole" />
      {result.error && <ErrorState error={result.error} retry={() => void result.refetch()} />}
      {result.isPending && <Skeleton rows={4} />}
      {result.data && items.length === 0 && !result.hasNextPage && <p className="muted">None is named so.</p>}
      <ul className="plain rows" aria-label="neighbours">
        {items.map((item) => (
          <li key={item.id}>
            <NodeLink id={item.id} name={item.name} where={null} />
            <span className="end">
              {item.state && <StateOf state={item.state} />}
              {drawn.has(item.id) ? (
                <span className="muted small">drawn</span>
              ) : (
                <Chip aria-label={`draw ${item.name}`} press={() => draw(item.id)}>
                  draw
                </Chip>
              )}
            </span>
          </li>
        ))}
      </ul>
      {result.hasNextPage && (
        <Button disabled={result.isFetchingNextPage} press={() => void result.fetchNextPage()}>
          {result.isFetchingNextPage ? "Loading" : "Show more"}
        </Button>
      )}
    </>
  );
}

const WHY_DEPTH = 20,
  WHY_FOLD = 20;

interface WhyProps {
  item: Item;
  state: MapState;
  /** Ids on the map. */
  drawn: ReadonlyMap<string, number>;
  choose: (id: string) => void;
}

/** The nearest trouble upstream, farther than the map reaches. */
export function Why({ item, ...of }: WhyProps) {
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

type TroublesProps = { lineage: Lineage; id: string } & Omit<WhyProps, "item">;

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
