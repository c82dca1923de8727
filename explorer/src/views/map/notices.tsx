/** What a reader has to know of a map before reading it: its time, and what of it is missing. */

import { ChangesBar } from "../../parts/frame";
import type { OpenMap } from "./open-map";

export function Notices({
  map: { state, data, actions, list, changes },
  truncated,
}: {
  map: OpenMap;
  truncated: boolean;
}) {
  const { comparison, failure, retry } = data;
  return (
    <>
      {truncated && (
        <div className="notice warn" role="status">
          This graph is truncated: it has more nodes than a response holds. The nearest to the focus are here.
        </div>
      )}
      {state.at && (
        <div className="notice" role="status">
          <b>As of {state.at.replace("T", " ").slice(0, 19)} UTC.</b> States of runs are those of then.{" "}
          <button className="chip" onClick={() => actions.to({ at: "", vs: "" })}>
            Now
          </button>
        </div>
      )}
      {comparison && (
        <ChangesBar changes={comparison.changes} vs={state.vs} end={() => actions.to({ vs: "", panel: "" })}>
          {!changes.isOpen && (
            <button className="chip" onClick={() => actions.to({ panel: "changes" })}>
              Step through the changes
            </button>
          )}
          <button className="chip" onClick={() => list.showList(true)}>
            List the changes
          </button>
        </ChangesBar>
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
    </>
  );
}
