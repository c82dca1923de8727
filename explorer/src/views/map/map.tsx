/** The map: the graph around one dataset or job, which a reader expands node by node. */

import { Link, useSearch } from "wouter";

import { PictureView } from "../../draw/picture-view";
import { plural, utc } from "../../model/format";
import type { Lineage } from "../../model/graph";
import { titleOf } from "../../model/titles";
import { Loaded, EmptyState as Nothing, useTitle } from "../../parts/frame";
import { useOwnName } from "../../parts/me";
import { KindOf, SignOf } from "../../parts/signs";
import { useTicks } from "../../parts/time";
import { kindOf, nameOf } from "../../url/ids";
import { columnsLink, type MapState, mapLink, parseMap } from "../../url/state";
import { jobsDeep, type MapData, useMapData } from "./data";
import { FoldPanel } from "./fold";
import { useMapKeys } from "./keys";
import { MapList } from "./list";
import { useCanvas } from "./nodes";
import { type OpenMap, useOpenMap } from "./open-map";
import { NodePanel } from "./panel";
import type { MapPicture } from "./picture";
import { Chips, MapTools } from "./tools";

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
      hint={<Hint picture={picture} />}
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

const Hint = ({ picture: { shown } }: { picture: MapPicture }) => (
  <>
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
  </>
);

function Panel({ map }: { map: OpenMap }) {
  const { sel } = map.state;
  const { lineage, shown } = map.picture;
  const item = lineage.items.get(sel);
  const fold = shown.folds.find(({ id }) => id === sel);
  if (item) return <NodePanel item={item} map={map} />;
  return fold ? <FoldPanel fold={fold} map={map} /> : null;
}
