/** Where the values of a column are from: the versions of its dataset, their runs, their records. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";

import { type Origins as OriginsOf, origins } from "../../api/queries";
import { Loaded, When } from "../../parts/frame";
import { useReader } from "../../parts/me";
import { StateOf } from "../../parts/signs";
import { link } from "../../url/state";

export function Origins({ id }: { id: string }) {
  const [open, setOpen] = useState(false);
  const result = useQuery({ queryKey: ["origins", id], queryFn: ({ signal }) => origins(id, signal), enabled: open });
  return (
    <details onToggle={(event) => setOpen((event.target as HTMLDetailsElement).open)}>
      <summary>
        <b>Versions, runs, records</b>
      </summary>
      {open && (
        <Loaded of={result} rows={3}>
          {({ versions }) => (
            <ul className="plain">
              {versions.length === 0 && <li className="muted">none is known</li>}
              {versions.slice(0, 10).map((version) => (
                <li key={version.version}>
                  <OriginLines version={version} />
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      )}
    </details>
  );
}

/** A version, its run, and the roots of its records. */
export function OriginLines({ version: { version, run, roots } }: { version: OriginsOf["versions"][number] }) {
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
            <Link className="mono" href={link("record", { root: root.rootId })}>
              {root.rootId}
            </Link>
          </div>
        ))}
    </>
  );
}
