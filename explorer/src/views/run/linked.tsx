/** The runs that made what a run read, and those that read what it made. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";

import { linkedRuns } from "../../api/queries";
import { Loaded, When } from "../../parts/frame";
import { StateOf } from "../../parts/signs";
import { link, type Side } from "../../url/state";

const LINKED = {
  up: { title: "The runs that made what it read", way: "upstream" as const },
  down: { title: "The runs that read what it made", way: "downstream" as const },
};

export function LinkedRuns({ id, side }: { id: string; side: Side }) {
  const { title, way } = LINKED[side];
  const result = useQuery(linkedRuns(id, way));
  return (
    <section className="card">
      <h2>{title}</h2>
      <Loaded of={result} rows={3}>
        {({ runs, truncated }) => {
          const others = runs.filter(({ run }) => run.id !== id);
          return (
            <>
              {others.length === 0 && <p className="muted">None is known.</p>}
              <table className="table">
                <tbody>
                  {others.map(({ run, job }) => (
                    <tr key={`${job.name} ${run.id}`}>
                      <td className="fixed">
                        <StateOf state={run.status} />
                      </td>
                      <td>{job.name}</td>
                      <td className="mono">
                        <Link href={link("run", { id: run.id })} title={run.id}>
                          {run.id.slice(0, 13)}…
                        </Link>
                      </td>
                      <td className="fixed">
                        <When time={run.end ?? run.start} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
              {truncated && <p className="muted">There are more.</p>}
            </>
          );
        }}
      </Loaded>
    </section>
  );
}
