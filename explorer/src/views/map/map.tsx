/** The map: the graph around a dataset or job, which a reader expands node by node. */

import { type ReactNode, useCallback } from "react";
import { Link, useSearch } from "wouter";
import { Card, type CardLook, spoken } from "../../draw/card";
import type { DrawnArrow } from "../../draw/elements";
import { FoldBox, moreOf, RoundJob, StubBox } from "../../draw/fold-box";
import { GroupBox, spokenGroup } from "../../draw/group-box";
import { PictureView } from "../../draw/picture-view";
import { plural, utc } from "../../model/format";
import { writtenAt } from "../../model/freshness";
import { arrowKey, degreeOf, type Lineage } from "../../model/graph";
import { neighboursOf } from "../../model/paths";
import { titleOf } from "../../model/titles";
import { EmptyState, Loaded, useTitle } from "../../parts/frame";
import { useOwnName } from "../../parts/reader";
import { KindOf, SignOf } from "../../parts/signs";
import { useTicks } from "../../parts/time";
import { kindOf, nameOf } from "../../url/ids";
import { columnsLink, type MapState, mapLink, parseMap } from "../../url/state";
import { FoldPanel } from "./fold";
import { MapList } from "./list";
import { jobsDeep, type MapData, type OpenMap, useMapData, useMapKeys, useOpenMap } from "./open-map";
import { NodePanel } from "./panel";
import type { MapPicture } from "./picture";
import { Chips, MapTools } from "./tools";

const LIST_ABOVE = 2000;

export function MapView() {
  const state = parseMap(useSearch());
  useTitle(state.node ? `Map of ${nameOf(state.node).name}` : "Map");
  const data = useMapData(state);
  if (!state.node) return <EmptyState title="No dataset or job is chosen">Find one with the box above.</EmptyState>;
  if (kindOf(state.node) === "field")
    return (
      <EmptyState title="A column has no map of jobs">
        <Link href={columnsLink({ node: state.node })}>See its columns</Link>
      </EmptyState>
    );
  return (
    <Loaded of={data.focus} rows={9} keep={`map ${state.node}`}>
      {(focus) => <DrawnMap state={state} data={data} whole={data.lineage ?? focus} />}
    </Loaded>
  );
}

export function DrawnMap({ state, data, whole }: { state: MapState; data: MapData; whole: Lineage }) {
  const map = useOpenMap(state, data, whole);
  const { picture, list } = map;
  const isNamed = !state.node || data.isLate || whole.items.has(picture.focus);
  useOwnName(state.node, isNamed, (node) => mapLink({ ...state, node }));
  const isTooMuch = picture.shown.hops.size > LIST_ABOVE;
  return (
    <PictureView
      of="map"
      open={map}
      about={aboutOf(picture)}
      chips={<Chips map={map} />}
      tools={<MapTools map={map} />}
      notices={<Notices state={state} data={data} truncated={whole.truncated} />}
      compared={data.comparison?.changes ?? null}
      unchanged={<LastChange state={state} />}
      canvas={useCanvas(map)}
      hint={
        <>
          <span className="kind-dataset">
            <SignOf of="dataset" /> dataset
          </span>
          <span className="kind-job">
            <SignOf of="job" /> job
          </span>
          {[...picture.shown.more.values()].some(({ up, down }) => up + down > 0) && (
            <span>+n opens what is hidden</span>
          )}
          <span>
            <kbd>?</kbd> keys
          </span>
        </>
      }
      listed={<MapList map={map} isAlone={isTooMuch || list.isNarrow} />}
      isTooMuch={isTooMuch}
      panel={<Panel map={map} />}
      ticksDepth={jobsDeep(state.node, state.depth)}
      keys={useMapKeys(map)}
    />
  );
}

function aboutOf({ focus, lineage, shown, all, grouped }: MapPicture) {
  if (!focus)
    return { sign: null, title: "All jobs and their datasets", hint: "", numbers: plural(lineage.items.size, "node") };
  const thing = lineage.items.get(focus) ?? nameOf(focus);
  return {
    sign: <KindOf of={thing.kind === "job" ? "job" : "dataset"} namespace={thing.namespace} />,
    title: titleOf(thing),
    hint: focus,
    numbers: plural((grouped ? all : shown).hops.size, "node"),
  };
}

function Notices({ state, data, truncated }: { state: MapState; data: MapData; truncated: boolean }) {
  return (
    <>
      {truncated && (
        <div className="notice warn" role="status">
          This graph is truncated: it has more nodes than a response holds.{" "}
          {state.node ? "The nearest to the focus" : "The first jobs by name"} are here.
        </div>
      )}
      {state.vs && !data.comparison && !data.failure && (
        <div className="notice" role="status">
          Comparing with {utc(state.vs)} UTC…
        </div>
      )}
    </>
  );
}

/** When the graph changed last before the moment that is shown: the bar of times has loaded it. */
function LastChange({ state: { node, depth, at } }: { state: MapState }) {
  const { data: ticks = [] } = useTicks(node, jobsDeep(node, depth));
  const before = ticks.filter(({ time, same, failed }) => !same && !failed && (!at || time < at));
  const last = before.sort((a, b) => (a.time < b.time ? -1 : 1)).at(-1);
  return last ? (
    <span>
      The last change was at {utc(last.time)} UTC: {last.label}.
    </span>
  ) : null;
}

function Panel({ map }: { map: OpenMap }) {
  const { sel } = map.state;
  const { lineage, shown } = map.picture;
  const item = lineage.items.get(sel);
  const fold = shown.folds.find(({ id }) => id === sel);
  if (item) return <NodePanel item={item} map={map} />;
  return fold ? <FoldPanel fold={fold} map={map} /> : null;
}

const NO_MORE = { up: 0, down: 0 };

const WAY_PER_ROW = 4;

function useCanvas(map: OpenMap) {
  const { state, data, picture, actions } = map;
  const { boxes, arrows, path, isWay, focus, titles } = picture;
  return {
    ...{ boxes, arrows, focus, titles },
    isWhole: isWay || picture.grouped !== null,
    perRow: isWay ? WAY_PER_ROW : 0,
    isCompared: (data.comparison?.changes.size ?? 0) > 0,
    path: path?.nodes ?? null,
    isOnPath: (arrow: DrawnArrow) => path?.arrows.has(arrowKey(arrow)) ?? false,
    neighbours: (id: string) => neighboursOf(arrows, id),
    draw: useNodeDrawing(map),
    label: useLabels(picture),
    onChoose: actions.choose,
    onClear: () => (state.sel ? actions.clear() : undefined),
  };
}

/** Return what draws a node: a card, a fold, or the stub of a hub. */
function useNodeDrawing({ state, data, picture, actions }: OpenMap): (id: string, muted: boolean) => ReactNode {
  const { lineage, focus, shown, titles, freshness, isMarked, isWay } = picture;
  const { comparison } = data;
  const { open } = actions;
  return useCallback(
    (id: string, muted: boolean) => {
      const item = lineage.items.get(id);
      const selected = id === state.sel || id === state.to;
      if (!item) return drawOther(picture, id, { selected, muted });
      if (picture.onLines.has(id))
        return (
          <RoundJob
            item={item}
            selected={selected}
            muted={muted}
            more={shown.more.get(id)?.up ?? 0}
            onMore={(side) => open(id, side)}
          />
        );
      const change = comparison?.changes.get(id);
      const look: CardLook = {
        focus: id === focus,
        selected,
        whole: isWay,
        muted: muted || ((comparison?.changes.size ?? 0) > 0 && !change && id !== focus),
        change,
        freshness: freshness.get(id),
        written: isMarked ? writtenAt(item, freshness.get(id)) : null,
      };
      return (
        <Card
          item={item}
          title={titles.get(id) ?? { title: titleOf(item), place: "", alike: 0 }}
          look={look}
          more={shown.more.get(id) ?? NO_MORE}
          onMore={(side) => open(id, side)}
        />
      );
    },
    [picture, lineage, shown, titles, freshness, isMarked, isWay, state.sel, state.to, focus, comparison, open],
  );
}

function drawOther(
  { lineage, shown, titles, grouped }: MapPicture,
  id: string,
  look: { selected: boolean; muted: boolean },
) {
  const fold = shown.folds.find((other) => other.id === id);
  if (fold) return <FoldBox fold={fold} {...look} />;
  const hub = lineage.items.get(shown.stubs.find((other) => other.id === id)?.hub ?? "");
  const group = grouped?.groups.get(id);
  if (group) return <GroupBox group={group} muted={look.muted} />;
  return hub ? <StubBox item={hub} of={titles.get(hub.id)!} {...look} /> : null;
}

function useLabels({ lineage, shown, grouped }: MapPicture): (id: string) => string {
  return useCallback(
    (id) => {
      const item = lineage.items.get(id);
      const fold = shown.folds.find((other) => other.id === id);
      if (item) return spoken(item, degreeOf(lineage, id).up, degreeOf(lineage, id).down, Date.now());
      if (fold?.words) return `tasks: ${fold.words}`;
      if (fold) return `${moreOf(fold)} ${fold.side === "up" ? "upstream" : "downstream"}`;
      const group = grouped?.groups.get(id);
      if (group) return spokenGroup(group);
      const stub = shown.stubs.find((other) => other.id === id);
      const hub = lineage.items.get(stub?.hub ?? "");
      return hub ? `hub ${hub.name}, ${plural(shown.hubs.get(hub.id) ?? 0, "reader")}: draw its lines` : id;
    },
    [lineage, shown, grouped],
  );
}
