/** The operations of runs that made a column. */

import { Link } from "wouter";

import { type FieldPaths, fieldPaths } from "../../api/queries";
import { Asked } from "../../parts/frame";
import { nameOf } from "../../url/ids";
import { link } from "../../url/state";

export const Operations = ({ id }: { id: string }) => (
  <Asked query={fieldPaths(nameOf(id))} rows={3}>
    {({ paths }) => (
      <>
        {paths.length === 0 && <p className="muted">No run of the last 30 days reported how it was made.</p>}
        {paths.map((path, index) => (
          <PathOf key={index} path={path} />
        ))}
      </>
    )}
  </Asked>
);

type Path = FieldPaths["paths"][number];

function PathOf({ path }: { path: Path }) {
  return (
    <div className="card">
      {"operations" in path && (
        <ol>
          {path.operations.map((operation, place) => (
            <li key={place}>
              <b className="mono">{operation.name}</b>{" "}
              <span className="small muted">
                {operation.inputs.join(", ")} → {operation.outputs.join(", ")}
              </span>
              {operation.description && <div className="small">{operation.description}</div>}
            </li>
          ))}
        </ol>
      )}
      {"edges" in path && !("nodes" in path) && (
        <ul className="plain">
          {path.edges.map((edge, place) => (
            <li key={place} className="mono small">
              {edge.from} → {edge.to} <span className="muted">{edge.operations.join(", ")}</span>
            </li>
          ))}
        </ul>
      )}
      <div className="small muted">
        in {path.runs.length === 1 ? "one run" : `${path.runs.length} runs`}
        {path.runs[0] && (
          <>
            , the last: <Link href={link("run", { id: path.runs[0] })}>{path.runs[0].slice(0, 13)}…</Link>
          </>
        )}
      </div>
    </div>
  );
}
