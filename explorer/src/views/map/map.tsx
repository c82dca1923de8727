/** The map: the graph around one dataset or job, which a reader expands node by node. */

import { Link, useSearch } from "wouter";

import type { Lineage } from "../../model/graph";
import { Loaded, Nothing, useTitle } from "../../parts/frame";
import { TimeBar } from "../../parts/time";
import { useOwnName } from "../../parts/use-own-name";
import { kindOf, nameOf } from "../../url/ids";
import { columnsLink, type MapState, mapLink, parseMap } from "../../url/state";
import { MapBar } from "./bar";
import { jobsDeep, type MapData, useMapData } from "./data";
import { useMapKeys } from "./keys";
import { Notices } from "./notices";
import { useOpenMap } from "./open-map";
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
