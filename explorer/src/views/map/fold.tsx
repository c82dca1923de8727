/** What stands beside the map for a fold: its neighbours, page by page, searched by name. */

import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";

import { type NeighbourPage, neighbours } from "../../api/queries";
import { moreOf } from "../../draw/fold-box";
import { DRAWN_MAX, type Fold } from "../../model/graph";
import { titleOf } from "../../model/titles";
import { Button, Chip, CloseButton, Filter } from "../../parts/controls";
import { ErrorState, NodeLink, pageOf, Skeleton } from "../../parts/frame";
import { StateOf } from "../../parts/signs";
import { useSettled } from "../../parts/use-find";
import { nameOf } from "../../url/ids";
import type { MapState } from "../../url/state";
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
