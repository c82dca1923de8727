/** A run: what it read and made, its error, its facets; with a second one beside it. */

import { Link, useSearch } from "wouter";

import { Nothing, useTitle } from "../../parts/frame";
import { link } from "../../url/state";
import { useRun } from "./data";
import { Differences } from "./differences";
import { LinkedRuns } from "./linked";
import { OneRun } from "./one-run";
import { StartedRuns } from "./started";

export function RunView() {
  const query = new URLSearchParams(useSearch());
  const [id, vs] = [query.get("id") ?? "", query.get("vs") ?? ""];
  useTitle("Run");
  if (!id) return <Nothing title="No run is chosen" />;
  return (
    <div className="page" style={vs ? { maxWidth: 1500 } : undefined}>
      {vs ? (
        <>
          <div className="actions">
            <h1>Two runs side by side</h1>
            <Link className="button push" href={link("run", { id })}>
              Only the first
            </Link>
          </div>
          <BothRuns id={id} vs={vs} />
          <div className="columns2">
            <OneRun id={id} other={vs} />
            <OneRun id={vs} other={id} />
          </div>
        </>
      ) : (
        <>
          <OneRun id={id} />
          <StartedRuns id={id} />
          <div className="columns2 even">
            <LinkedRuns id={id} side="up" />
            <LinkedRuns id={id} side="down" />
          </div>
        </>
      )}
    </div>
  );
}

/** The differences of two runs, first of all. */
function BothRuns({ id, vs }: { id: string; vs: string }) {
  const [mine, other] = [useRun(id), useRun(vs)];
  return mine.data && other.data ? <Differences mine={mine.data} other={other.data} /> : null;
}
