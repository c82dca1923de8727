/** What a column is made of: a source with the steps on the way. */

import { useMemo, useState } from "react";
import { Link } from "wouter";
import { type FieldPaths, fieldPaths } from "../../api/queries";
import type { ColumnArrow, ColumnLines, Source } from "../../model/columns";
import { plural } from "../../model/format";
import { recipeOf, sentenceOf, textOf } from "../../model/recipe";
import { titleOfId } from "../../model/titles";
import { Button, Chip } from "../../parts/controls";
import { Asked } from "../../parts/frame";
import { Masked } from "../../parts/signs";
import { nameOf } from "../../url/ids";
import { link } from "../../url/state";

export function Steps({ steps }: { steps: ColumnArrow["steps"] }) {
  if (!steps.length) return null;
  return (
    <div className="small muted">
      {steps.map((step, index) => (
        <div key={index}>
          {step.direct ? "" : "indirect: "}
          {step.kind.toLowerCase()}
          {step.description && (
            <>
              {" "}
              · <span className="mono">{step.description}</span>
            </>
          )}
        </div>
      ))}
    </div>
  );
}

export function Sources({ sources, choose }: { sources: readonly Source[]; choose: (id: string) => void }) {
  return (
    <ul className="plain">
      {sources.map(({ id, dataset, field, steps }, index) => (
        <li key={index}>
          <Chip press={() => choose(id)}>
            {titleOfId(dataset)}
            {field === null ? "" : `.${field}`}
          </Chip>{" "}
          {steps.some(({ masked }) => masked) && <Masked />}
          <Steps steps={steps} />
        </li>
      ))}
    </ul>
  );
}

interface Props {
  id: string;
  lines: ColumnLines;
  choose: (id: string) => void;
}

export function Recipe({ id, lines, choose }: Props) {
  const recipe = useMemo(() => recipeOf(lines, id), [lines, id]);
  const [isCopied, setCopied] = useState(false);
  const copy = () => void navigator.clipboard.writeText(textOf(recipe, titleOfId)).then(() => setCopied(true));
  return (
    <details>
      <summary>
        <b>Recipe</b>{" "}
        <span className="muted">
          {plural(recipe.steps.length, "step")} back to {plural(recipe.origins.length, "source")}
        </span>
      </summary>
      <ol className="recipe" aria-label="recipe">
        {recipe.steps.map((step) => (
          <li key={step.id}>
            <Chip press={() => choose(step.id)}>show</Chip> {sentenceOf(step, titleOfId)}
          </li>
        ))}
      </ol>
      {recipe.origins.length > 0 && <p>It begins in {recipe.origins.map(titleOfId).join(", ")}.</p>}
      {(recipe.truncated || lines.truncated) && <p className="changed">There is more than is loaded.</p>}
      <Button press={copy}>{isCopied ? "copied" : "Copy the recipe"}</Button>
    </details>
  );
}

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
