/** Where the values of a column are from: the versions of its dataset, their runs, their records. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";

import { origins } from "../../api/queries";
import { MonoLink } from "../../parts/controls";
import { Loaded, When } from "../../parts/frame";
import { useReader } from "../../parts/me";
import { StateOf } from "../../parts/signs";
import { link } from "../../url/state";

export function Origins({ id }: { id: string }) {
  const [open, setOpen] = useState(false);
  const { can } = useReader();
  const result = useQuery({ ...origins(id), enabled: open });
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
                  <span className="mono">{version.version.slice(0, 8)}</span>{" "}
                  {version.run && (
                    <>
                      <StateOf state={version.run.state} />{" "}
                      <Link href={link("run", { id: version.run.id })}>{version.run.job.name}</Link>{" "}
                      <span className="muted">
                        <When time={version.run.endedAt} />
                      </span>
                    </>
                  )}
                  {can("searchRecords") &&
                    version.roots.slice(0, 5).map((root) => (
                      <div key={root.rootId}>
                        <MonoLink to={link("record", { root: root.rootId })}>{root.rootId}</MonoLink>
                      </div>
                    ))}
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      )}
    </details>
  );
}
