/** The map: the graph around one dataset or job, which a reader expands node by node. */

import { Link, useSearch } from "wouter";
import { utc } from "../../model/format";
import type { Lineage } from "../../model/graph";
import { WaysToChanges } from "../../parts/changes";
import { Chip } from "../../parts/controls";
import { AsOf, ChangesBar, Loaded, Nothing, useTitle } from "../../parts/frame";
import { TimeBar, useTicks } from "../../parts/time";
import { useOwnName } from "../../parts/use-own-name";
import { kindOf, nameOf } from "../../url/ids";
import { columnsLink, type MapState, mapLink, parseMap } from "../../url/state";
import { MapBar } from "./bar";
import { jobsDeep, type MapData, useMapData } from "./data";
import { useMapKeys } from "./keys";
import { type OpenMap, useOpenMap } from "./open-map";
import { Stage } from "./stage";

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
  const isNamed = !state.node || data.isLate || whole.items.has(map.picture.focus);
  useOwnName(state.node, isNamed, (node) => mapLink({ ...state, node }));
  useMapKeys(map);
  return (
    <>
      <MapBar map={map} />
      <Notices map={map} truncated={whole.truncated} />
      <Stage map={map} />
      {state.node && (
        <TimeBar
          node={state.node}
          depth={jobsDeep(state.node, state.depth)}
          at={state.at}
          vs={state.vs}
          change={map.actions.to}
        />
      )}
    </>
  );
}

function Notices({ map, truncated }: { map: OpenMap; truncated: boolean }) {
  const { state, data, actions } = map;
  const { comparison, failure, retry } = data;
  return (
    <>
      {truncated && (
        <div className="notice warn" role="status">
          This graph is truncated: it has more nodes than a response holds.{" "}
          {state.node ? "The nearest to the focus" : "The first jobs by name"} are here.
        </div>
      )}
      <AsOf at={state.at} back={actions.to}>
        States of runs are those of then.
      </AsOf>
      {comparison && (
        <ChangesBar changes={comparison.changes} vs={state.vs} end={() => actions.to({ vs: "", panel: "" })}>
          {comparison.changes.size > 0 ? (
            <WaysToChanges steps={map.changes} list={map.list} open={actions.to} />
          ) : (
            <LastChange state={state} />
          )}
        </ChangesBar>
      )}
      {state.vs && !comparison && !failure && (
        <div className="notice" role="status">
          Comparing with {utc(state.vs)} UTC…
        </div>
      )}
      {failure && (
        <div className="notice warn" role="alert">
          A part of this map could not be loaded: {failure.message} <Chip press={retry}>Try again</Chip>
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
