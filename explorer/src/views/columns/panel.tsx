/** What stands beside the columns: each step of the selected one, who reported it, its runs, its operations. */

import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { Link } from "wouter";

import { fieldPaths, origins } from "../../api/queries";
import { type ColumnArrow, type ColumnLines, indirectUses, type Source } from "../../model/columns";
import { plural } from "../../model/format";
import { recipeOf, sentenceOf, textOf } from "../../model/recipe";
import { titleOf, titleOfId } from "../../model/titles";
import { Edit } from "../../parts/edit";
import { Loaded, NodeLink, When } from "../../parts/frame";
import { useReader } from "../../parts/me";
import { SignOf, StateOf } from "../../parts/signs";
import { cutsOf, datasetOf, nameOf } from "../../url/ids";
import { columnsLink, link, mapLink } from "../../url/state";

interface Props {
  id: string;
  lines: ColumnLines;
  arrows: readonly ColumnArrow[];
  isCentre: boolean;
  close: () => void;
  canClose: boolean;
  choose: (id: string) => void;
}

export function ColumnPanel({ id, lines, arrows, isCentre, close, canClose, choose }: Props) {
  const name = nameOf(id);
  const column = lines.columns.find((other) => other.id === id);
  const sources = lines.sources.get(id) ?? [];
  const uses = arrows.filter(({ from }) => from === id);
  const others = indirectUses(lines, id);
  const indirect = [...(lines.own.get(id) ?? []), ...(lines.dependencies.get(datasetOf(id)) ?? [])];
  return (
    <aside className="side" aria-label={`about ${name.field ?? name.name}`}>
      {canClose && (
        <button className="icon close" aria-label="close" onClick={close}>
          <SignOf of="close" />
        </button>
      )}
      <div className="kind-word">
        <span className="kind-field">
          <SignOf of="field" />
        </span>{" "}
        Column of{" "}
        <Link href={mapLink({ node: datasetOf(id) })} title={name.name}>
          {titleOf(name)}
        </Link>
      </div>
      <h1 className="mono">{name.field}</h1>
      {column?.type && <div className="mono muted">{column.type}</div>}
      {column && !column.known && <p className="muted">It stands in no schema, but in what a run reported.</p>}
      <div className="actions">
        <Link className="button main" href={link("impact", { node: id })}>
          What breaks
        </Link>
        {!isCentre && (
          <Link className="button" href={columnsLink({ node: id })}>
            Centre here
          </Link>
        )}
        <Link className="button" href={link("usage", { node: id })}>
          Usage
        </Link>
        <Edit id={id} />
      </div>
      <h2>
        Made of <span className="muted">{sources.length}</span>
      </h2>
      {sources.length === 0 && (
        <p className="muted">
          {column ? "Nothing is reported: it begins here, as far as is known." : "Not loaded at this depth."}
        </p>
      )}
      <ul className="plain">
        {sources.map((source) => (
          <li key={source.id}>
            <SourceOf source={source} choose={choose} />
          </li>
        ))}
      </ul>
      {sources.length > 0 && <RecipeOf id={id} lines={lines} choose={choose} />}
      {uses.length + others > 0 && (
        <>
          <h2>
            Goes into <span className="muted">{uses.length}</span>
          </h2>
          {others > 0 && (
            <p className="small muted">
              and {plural(others, "dataset")} more by joins, filters and groups:{" "}
              <Link href={link("impact", { node: id })}>What breaks</Link>
            </p>
          )}
          <ul className="plain">
            {uses.map((use) => (
              <li key={use.to}>
                <button className="chip" onClick={() => choose(use.to)}>
                  {titleOfId(use.to)}
                </button>{" "}
                {use.masked && <Masked />}
                <Steps steps={use.steps} />
              </li>
            ))}
          </ul>
        </>
      )}
      {indirect.length > 0 && (
        <details>
          <summary>
            <b>Depends on indirectly</b> <span className="muted">{indirect.length}</span>
          </summary>
          <ul className="plain">
            {indirect.map((source, index) => (
              <li key={index}>
                <SourceOf source={source} choose={choose} />
              </li>
            ))}
          </ul>
        </details>
      )}
      {column && column.reportedBy.length > 0 && (
        <>
          <h2>Reported by</h2>
          <ul className="plain">
            {column.reportedBy.map((by) => (
              <li key={by.run}>
                {by.job && <NodeLink id={by.job} where={null} />}{" "}
                {by.declared ? (
                  <span className="muted">declared</span>
                ) : (
                  <Link className="mono" href={link("run", { id: by.run })}>
                    {by.run.slice(0, 13)}…
                  </Link>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      <Operations key={`o ${id}`} id={id} />
      <Origins key={id} id={id} />
    </aside>
  );
}

/** The operations that make the column, back to its sources. */
function RecipeOf({ id, lines, choose }: Pick<Props, "id" | "lines" | "choose">) {
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
            <button className="chip" onClick={() => choose(step.id)}>
              show
            </button>{" "}
            {sentenceOf(step, titleOfId)}
          </li>
        ))}
      </ol>
      {recipe.origins.length > 0 && <p>It begins in {recipe.origins.map(titleOfId).join(", ")}.</p>}
      {(recipe.truncated || lines.truncated) && <p className="changed">There is more than is loaded.</p>}
      <button className="button" onClick={copy}>
        {isCopied ? "copied" : "Copy the recipe"}
      </button>
    </details>
  );
}

const Masked = () => (
  <span className="state is-masked">
    <SignOf of="lock" />
    masked
  </span>
);

function Steps({ steps }: { steps: Source["steps"] }) {
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

function SourceOf({ source, choose }: { source: Source; choose: (id: string) => void }) {
  return (
    <>
      <button className="chip" onClick={() => choose(source.id)}>
        {titleOf({ namespace: source.namespace, name: source.datasetName })}
        {source.field === null ? "" : `.${source.field}`}
      </button>{" "}
      {source.steps.some(({ masked }) => masked) && <Masked />}
      <Steps steps={source.steps} />
    </>
  );
}

function Operations({ id }: { id: string }) {
  const [open, setOpen] = useState(false);
  const node = cutsOf(id)[0];
  const result = useQuery({
    queryKey: ["paths", id],
    queryFn: ({ signal }) => fieldPaths(node!, "simple", signal),
    enabled: open && node !== undefined,
  });
  return (
    <details onToggle={(event) => setOpen((event.target as HTMLDetailsElement).open)}>
      <summary>
        <b>Operations</b> <span className="muted">of the last 30 days</span>
      </summary>
      {open && (
        <Loaded of={result} rows={3}>
          {({ paths }) => (
            <>
              {paths.length === 0 && <p className="muted">No run of the last 30 days reported how it was made.</p>}
              {paths.map((path, index) => (
                <div key={index} className="card">
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
              ))}
            </>
          )}
        </Loaded>
      )}
    </details>
  );
}

function Origins({ id }: { id: string }) {
  const [open, setOpen] = useState(false);
  const { can } = useReader();
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
                        <Link className="mono" href={link("record", { root: root.rootId })}>
                          {root.rootId}
                        </Link>
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
