/** A version, its run, and the roots of its records. */

import { Link } from "wouter";
import type { ResponseOf } from "../api/client";
import { link } from "../url/state";
import { MonoLink } from "./controls";
import { When } from "./frame";
import { useReader } from "./me";
import { StateOf } from "./signs";

type Origin = ResponseOf<"/api/v1/column-lineage/origins">["versions"][number];

export function OriginLines({ version: { version, run, roots } }: { version: Origin }) {
  const { can } = useReader();
  return (
    <>
      <span className="mono">{version.slice(0, 8)}</span>{" "}
      {run && (
        <>
          <StateOf state={run.state} /> <Link href={link("run", { id: run.id })}>{run.job.name}</Link>{" "}
          <span className="muted">
            <When time={run.endedAt} />
          </span>
        </>
      )}
      {can("searchRecords") &&
        roots.slice(0, 5).map((root) => (
          <div key={root.rootId}>
            <MonoLink to={link("record", { root: root.rootId })}>{root.rootId}</MonoLink>
          </div>
        ))}
    </>
  );
}
