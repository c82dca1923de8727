/** What a reader has to know of a map before reading it: its time, and what of it is missing. */

import { utc } from "../../model/format";
import { WaysToChanges } from "../../parts/changes";
import { Chip } from "../../parts/controls";
import { AsOf, ChangesBar } from "../../parts/frame";
import { useTicks } from "../../parts/time";
import type { MapState } from "../../url/state";
import { jobsDeep } from "./data";
import type { OpenMap } from "./open-map";

export function Notices({ map, truncated }: { map: OpenMap; truncated: boolean }) {
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
