/** The map: the graph around one dataset or job, which a reader expands node by node. */

import { useCallback, useMemo, useRef, useState } from "react";
import { Link, useLocation, useSearch } from "wouter";

import { Canvas, type Handled } from "../../draw/canvas";
import { CARD, Card, type CardLook, FoldBox, moreOf, StubBox, spoken } from "../../draw/card";
import type { Placed } from "../../layout/boxes";
import { plural } from "../../model/format";
import { freshnessOf } from "../../model/freshness";
import {
  arrowKey,
  degreeOf,
  depthToRequest,
  type Item,
  type Lineage,
  type Shown,
  withoutTemporary,
} from "../../model/graph";
import { drawnArrows, type Picture } from "../../model/hubs";
import { neighboursOf } from "../../model/paths";
import { titleOf } from "../../model/titles";
import { ChangesBar, Loaded, Nothing, useTitle } from "../../parts/frame";
import { useKeys } from "../../parts/keys";
import { Legend } from "../../parts/legend";
import { SignOf } from "../../parts/signs";
import { TimeBar } from "../../parts/time";
import { PictureChoice, Tools, useNarrow } from "../../parts/tools";
import { kindOf, nameOf } from "../../url/ids";
import { columnsLink, DEPTH_MAX, link, type MapState, mapLink, parseMap, type Side } from "../../url/state";
import { Chips } from "./chips";
import { type MapData, useMapData } from "./data";
import { ExportMenu } from "./export";
import { FoldPanel } from "./fold";
import { MapList } from "./list";
import { NodePanel } from "./panel";
import { usePicture } from "./picture";

const LIST_ABOVE = 2000;

export function MapView() {
  const state = parseMap(useSearch());
  useTitle(state.node ? `Map of ${nameOf(state.node).name}` : "Map");
  const data = useMapData(state);
  if (!state.node) return <Nothing title="No dataset or job is chosen">Find one with the box above.</Nothing>;
  if (kindOf(state.node) === "field")
    return (
      <Nothing title="A column has no map of jobs">
        <Link href={columnsLink({ node: state.node })}>See its columns</Link>
      </Nothing>
    );
  return (
    <Loaded of={data.focus} rows={9} keep={`map ${state.node}`}>
      {(focus) => <Drawn state={state} data={data} whole={data.lineage ?? focus} />}
    </Loaded>
  );
}

const noMore = { up: 0, down: 0 };

function Drawn({ state, data, whole }: { state: MapState; data: MapData; whole: Lineage }) {
  const { comparison, failure, retry } = data;
  const [, navigate] = useLocation();
  const handled = useRef<Handled>(null);
  const placed = useRef<Placed>(null);
  // What the reader acted on last: it stays where it is, and in sight.
  const [anchor, setAnchor] = useState(state.sel || state.node);
  const isNarrow = useNarrow();
  const [isPicture, setPicture] = useState(false);
  const isList = isNarrow ? !isPicture : state.list;
  const to = useCallback(
    (change: Partial<MapState>, replace = true) => navigate(mapLink({ ...state, ...change }), { replace }),
    [navigate, state],
  );

  const { lineage, left } = useMemo(
    () => (state.temporary ? { lineage: whole, left: 0 } : withoutTemporary(whole, state.node)),
    [whole, state.temporary, state.node],
  );
  const focus = lineage.items.has(state.node)
    ? state.node
    : ([...lineage.items.keys()].find((id) => id.startsWith(`${state.node}#`)) ?? state.node);
  const { all, shown, titles, boxes, arrows, path } = usePicture(lineage, focus, state, comparison);
  const freshness = useMemo(() => freshnessOf(lineage), [lineage]);

  const open = useCallback(
    (id: string, side: Side) => {
      setAnchor(id);
      const mark = `${side}:${id}`;
      to({ open: state.open.includes(mark) ? state.open.filter((other) => other !== mark) : [...state.open, mark] });
    },
    [to, state.open],
  );
  const choose = useCallback(
    (id: string, event: { shiftKey: boolean }) => {
      const stub = shown.stubs.find((other) => other.id === id);
      setAnchor(stub ? stub.of : id);
      if (stub) to({ hub: [...state.hub, stub.hub] });
      else if (event.shiftKey && state.sel && state.sel !== id) to({ to: id });
      else to({ sel: id, to: "" });
    },
    [to, state.sel, state.hub, shown],
  );
  const drawn = useCallback(
    (id: string, muted: boolean) => {
      const item = lineage.items.get(id);
      const selected = id === state.sel || id === state.to;
      if (!item) {
        const fold = shown.folds.find((other) => other.id === id);
        if (fold) return <FoldBox fold={fold} selected={selected} muted={muted} />;
        const hub = lineage.items.get(shown.stubs.find((other) => other.id === id)?.hub ?? "");
        return hub ? (
          <StubBox item={hub} title={titles.get(hub.id)?.title ?? ""} selected={selected} muted={muted} />
        ) : null;
      }
      const change = comparison?.changes.get(id);
      const look: CardLook = {
        focus: id === focus,
        selected,
        muted: muted || ((comparison?.changes.size ?? 0) > 0 && !change && id !== focus),
        change,
        freshness: freshness.get(id),
      };
      return (
        <Card
          item={item}
          title={titles.get(id) ?? { title: titleOf(item), place: "" }}
          look={look}
          more={shown.more.get(id) ?? noMore}
          onMore={(side) => open(id, side)}
        />
      );
    },
    [lineage, shown, titles, freshness, state.sel, state.to, focus, comparison, open],
  );
  const label = useCallback((id: string) => labelOf(lineage, shown, id), [lineage, shown]);
  const drawnArrows = useMemo(
    () =>
      arrows.map((arrow) => ({
        ...arrow,
        look: `${comparison?.arrows.get(arrowKey(arrow)) ?? ""} ${arrow.isControl ? "is-control" : ""}`.trim(),
      })),
    [arrows, comparison],
  );

  const showList = (on: boolean) => (isNarrow ? setPicture(!on) : to({ list: on }));
  const step = (key: string) => {
    const next = walk(shown, placed.current, state.sel || focus, key);
    if (!next) return;
    setAnchor(next);
    to({ sel: next, to: "" });
    handled.current?.center(next);
    requestAnimationFrame(() => handled.current?.focusNode(next));
  };
  const arrow = (event: KeyboardEvent) => {
    event.preventDefault();
    step(event.key);
  };
  useKeys({
    ArrowLeft: arrow,
    ArrowRight: arrow,
    ArrowUp: arrow,
    ArrowDown: arrow,
    e: () => open(state.sel || focus, "down"),
    E: () => open(state.sel || focus, "up"),
    l: () => showList(!isList),
    f: () => handled.current?.fit(),
    ".": () => to({ at: "", vs: "" }),
    c: () =>
      navigate(
        columnsLink({ node: kindOf(state.sel) === "dataset" ? state.sel : state.node, at: state.at, vs: state.vs }),
      ),
    Enter: (event) => {
      const on = (document.activeElement as HTMLElement | null)?.closest<HTMLElement>(".react-flow__node")?.dataset[
        "id"
      ];
      if (on && (on !== state.sel || shown.stubs.some(({ id }) => id === on))) choose(on, { shiftKey: false });
      else if (on) {
        event.preventDefault();
        document.querySelector<HTMLElement>(".side .actions a, .side .actions button")?.focus();
      }
    },
    Escape: () =>
      to(
        state.to
          ? { to: "" }
          : state.sel
            ? { sel: "" }
            : state.vs
              ? { vs: "" }
              : state.at
                ? { at: "" }
                : { open: [], pick: [], all: [], hub: [] },
      ),
  });

  const item = lineage.items.get(state.sel);
  const fold = shown.folds.find(({ id }) => id === state.sel);
  const isTooMuch = shown.hops.size > LIST_ABOVE && !isList;
  return (
    <>
      <div className="bar">
        <div className="what">
          <span className={`kind-${kindOf(focus) ?? "dataset"}`}>
            <SignOf of={kindOf(focus) === "job" ? "job" : "dataset"} />
          </span>
          <h1 title={focus}>{titleOf(lineage.items.get(focus) ?? { ...nameOf(focus), kind: kindOf(focus) ?? "" })}</h1>
          <span className="muted small" role="status">
            {plural(shown.hops.size, "node")}
            {data.isLate && " · loading"}
          </span>
        </div>
        <Chips state={state} temporary={left} hubs={[...shown.hubs.keys()]} to={to} />
        {isNarrow && <PictureChoice isPicture={isPicture} choose={setPicture} />}
        <Tools title="⋯ Tools" of="tools of the map">
          <div className="group" role="group" aria-label="direction">
            {(["up", "both", "down"] as const).map((dir) => (
              <button
                key={dir}
                className="button"
                aria-pressed={state.dir === dir}
                onClick={() => {
                  setAnchor(focus);
                  to({ dir });
                }}
              >
                {{ up: "Upstream", both: "Both", down: "Downstream" }[dir]}
              </button>
            ))}
          </div>
          <div className="group" role="group" aria-label="depth">
            <button
              className="button"
              aria-label="show less"
              disabled={state.depth <= 0}
              onClick={() => {
                setAnchor(focus);
                to({ depth: state.depth - 1 });
              }}
            >
              −
            </button>
            <span className="button" aria-live="polite">
              depth {state.depth}
            </span>
            <button
              className="button"
              aria-label="show more"
              disabled={state.depth >= DEPTH_MAX}
              onClick={() => {
                setAnchor(focus);
                to({ depth: state.depth + 1 });
              }}
            >
              +
            </button>
          </div>
          <button
            className="button"
            title="jobs that wait for others, whatever data they exchange"
            aria-pressed={state.dependencies}
            onClick={() => {
              setAnchor(focus);
              to({ dependencies: !state.dependencies });
            }}
          >
            Dependencies
          </button>
          {!isNarrow && (
            <button className="button" aria-pressed={state.list} onClick={() => to({ list: !state.list })}>
              List
            </button>
          )}
          <Link
            className="button"
            href={columnsLink({
              node: kindOf(state.sel) === "dataset" ? state.sel : focus,
              at: state.at,
              vs: state.vs,
            })}
          >
            Columns
          </Link>
          <Link className="button" href={link("impact", { node: focus })}>
            Impact
          </Link>
          <ExportMenu
            lineage={lineage}
            shown={shown}
            placed={placed}
            name={nameOf(focus).name}
            comparison={comparison}
          />
        </Tools>
      </div>
      {whole.truncated && (
        <div className="notice warn" role="status">
          This graph is truncated: it has more nodes than a response holds. The nearest to the focus are here.
        </div>
      )}
      {state.at && (
        <div className="notice" role="status">
          <b>As of {state.at.replace("T", " ").slice(0, 19)} UTC.</b> States of runs are those of then.{" "}
          <button className="chip" onClick={() => to({ at: "", vs: "" })}>
            Now
          </button>
        </div>
      )}
      {comparison && (
        <ChangesBar changes={comparison.changes} vs={state.vs} end={() => to({ vs: "" })} list={() => showList(true)} />
      )}
      {state.vs && !comparison && !failure && (
        <div className="notice" role="status">
          Comparing with {state.vs.replace("T", " ").slice(0, 19)} UTC…
        </div>
      )}
      {failure && (
        <div className="notice warn" role="alert">
          A part of this map could not be loaded: {failure.message}{" "}
          <button className="chip" onClick={retry}>
            Try again
          </button>
        </div>
      )}
      <div className="stage">
        {!isTooMuch && !(isList && (isNarrow || shown.hops.size > LIST_ABOVE)) && (
          <div className="canvas">
            <Canvas
              boxes={boxes}
              arrows={drawnArrows}
              anchor={anchor}
              focus={focus}
              isLate={data.isLate}
              isWhole={state.to === state.node}
              dir={state.dir}
              inSight={[anchor]}
              path={path?.nodes ?? null}
              isOnPath={(arrow) => path?.arrows.has(arrowKey(arrow)) ?? false}
              neighbours={(id) => neighboursOf(arrows, id)}
              draw={drawn}
              label={label}
              onChoose={choose}
              onClear={() => (state.sel ? to({ sel: "", to: "" }) : undefined)}
              handle={(handle) => {
                handled.current = handle;
              }}
              onPlaced={(layout) => {
                placed.current = layout;
              }}
            />
            <Corner handled={handled} />
            <Hint shown={shown} />
          </div>
        )}
        {(isList || isTooMuch) && (
          <MapList
            lineage={lineage}
            shown={all}
            focus={focus}
            sel={state.sel}
            comparison={comparison}
            choose={(id) => {
              choose(id, { shiftKey: false });
              handled.current?.center(id);
            }}
            alone={isTooMuch || isNarrow}
          />
        )}
        {item && (
          <NodePanel
            item={item}
            lineage={lineage}
            state={state}
            drawn={shown.hops}
            close={() => to({ sel: "", to: "" })}
            choose={(id) => choose(id, { shiftKey: false })}
            open={open}
          />
        )}
        {fold && (
          <FoldPanel
            fold={fold}
            state={state}
            drawn={shown.hops}
            close={() => to({ sel: "" })}
            change={(change) => {
              setAnchor(fold.of);
              to(change);
            }}
          />
        )}
      </div>
      <TimeBar
        node={state.node}
        depth={depthToRequest(kindOf(focus) === "job" ? "job" : "dataset", state.depth)}
        at={state.at}
        vs={state.vs}
        change={(moment) => to(moment)}
      />
    </>
  );
}

function Corner({ handled }: { handled: React.RefObject<Handled | null> }) {
  return (
    <div className="corner">
      <Legend of="map" />
      <button className="button" aria-label="zoom out" onClick={() => handled.current?.zoom(0.8)}>
        −
      </button>
      <button className="button" aria-label="zoom in" onClick={() => handled.current?.zoom(1.25)}>
        +
      </button>
      <button className="button" title="f" onClick={() => handled.current?.fit()}>
        Fit
      </button>
    </div>
  );
}

function Hint({ shown }: { shown: Shown }) {
  return (
    <div className="hint">
      <span className="kind-dataset">
        <SignOf of="dataset" /> dataset
      </span>
      <span className="kind-job">
        <SignOf of="job" /> job
      </span>
      {[...shown.more.values()].some(({ up, down }) => up + down > 0) && <span>+n opens what is hidden</span>}
      <span>
        <kbd>?</kbd> keys
      </span>
    </div>
  );
}

function labelOf(lineage: Lineage, shown: Picture, id: string): string {
  const item: Item | undefined = lineage.items.get(id);
  const fold = shown.folds.find((other) => other.id === id);
  if (item) return spoken(item, degreeOf(lineage, id).up, degreeOf(lineage, id).down, Date.now());
  if (fold) return `${moreOf(fold)} ${fold.side === "up" ? "upstream" : "downstream"}`;
  const stub = shown.stubs.find((other) => other.id === id);
  const hub = lineage.items.get(stub?.hub ?? "");
  return hub ? `hub ${hub.name}, ${plural(shown.hubs.get(hub.id) ?? 0, "reader")}: draw its lines` : id;
}

/** The node that an arrow key leads to: along an arrow, or the nearest above or below in the same rank. */
function walk(shown: Picture, placed: Placed | null, from: string, key: string): string | null {
  const here = placed?.at[from];
  if (!placed || !here) return null;
  const far = (id: string) => Math.abs((placed.at[id]?.y ?? 0) - here.y);
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const next = drawnArrows(shown).flatMap((arrow) =>
      key === "ArrowLeft" ? (arrow.to === from ? [arrow.from] : []) : arrow.from === from ? [arrow.to] : [],
    );
    return next.sort((a, b) => far(a) - far(b))[0] ?? null;
  }
  const up = key === "ArrowUp";
  const rank = Object.entries(placed.at).filter(
    ([id, { x, y }]) => id !== from && Math.abs(x - here.x) < CARD.width / 2 && (up ? y < here.y : y > here.y),
  );
  return rank.sort(([a], [b]) => far(a) - far(b))[0]?.[0] ?? null;
}
