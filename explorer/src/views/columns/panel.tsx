/** What stands beside the columns: what the selected one is made of, with the steps, and goes into; who reported it. */

import { useMemo, useState } from "react";
import { Link } from "wouter";
import { type FieldPaths, fieldPaths, origins } from "../../api/queries";
import { type Column, type ColumnArrow, type ColumnLines, indirectUses, type Source } from "../../model/columns";
import { plural } from "../../model/format";
import { recipeOf, sentenceOf, textOf } from "../../model/recipe";
import { titleOf, titleOfId } from "../../model/titles";
import { Button, Chip, CloseButton, Counted, LinkButton, MainLink, MonoLink } from "../../parts/controls";
import { Edit } from "../../parts/edit";
import { OriginLines } from "../../parts/facts";
import { Asked, NodeLink, Opened } from "../../parts/frame";
import { Pin } from "../../parts/pin";
import { KindOf, Masked } from "../../parts/signs";
import { datasetOf, jobId, nameOf } from "../../url/ids";
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
  return (
    <aside className="side" aria-label={`about ${name.field ?? name.name}`}>
      {canClose && <CloseButton close={close} />}
      <Head id={id} column={column} isCentre={isCentre} />
      <MadeOf id={id} lines={lines} isKnown={column !== undefined} choose={choose} />
      <GoesInto id={id} lines={lines} arrows={arrows} choose={choose} />
      <Indirectly id={id} lines={lines} choose={choose} />
      {column && column.reportedBy.length > 0 && <ReportedBy column={column} />}
      <Opened
        key={`o ${id}`}
        title={
          <>
            <b>Operations</b> <span className="muted">of the last 30 days</span>
          </>
        }
      >
        {() => <Operations id={id} />}
      </Opened>
      <Opened key={id} title={<b>Versions, runs, records</b>}>
        {() => (
          <Asked query={origins(id)} rows={3}>
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
          </Asked>
        )}
      </Opened>
    </aside>
  );
}

function Head({ id, column, isCentre }: { id: string; column: Column | undefined; isCentre: boolean }) {
  const name = nameOf(id);
  return (
    <>
      <div className="kind-word">
        <KindOf of="field" namespace={name.namespace} /> Column of{" "}
        <Link href={mapLink({ node: datasetOf(id) })} title={name.name}>
          {titleOf(name)}
        </Link>{" "}
        <Pin id={id} />
      </div>
      <h1 className="mono">{name.field}</h1>
      {column?.fieldType && <div className="mono muted">{column.fieldType}</div>}
      {column && !column.schemaKnown && <p className="muted">It stands in no schema, but in what a run reported.</p>}
      <div className="actions">
        <MainLink to={link("impact", { node: id })}>What breaks</MainLink>
        {!isCentre && <LinkButton to={columnsLink({ node: id })}>Centre here</LinkButton>}
        <LinkButton to={link("usage", { node: id })}>Usage</LinkButton>
        <Edit id={id} />
      </div>
    </>
  );
}

const ReportedBy = ({ column }: { column: Column }) => (
  <>
    <h2>Reported by</h2>
    <ul className="plain">
      {column.reportedBy.map(({ run, job, declared }) => (
        <li key={run}>
          {job && <NodeLink id={jobId(job)} where={null} />}{" "}
          {declared ? (
            <span className="muted">declared</span>
          ) : (
            <MonoLink to={link("run", { id: run })}>{run.slice(0, 13)}…</MonoLink>
          )}
        </li>
      ))}
    </ul>
  </>
);

type Of = Pick<Props, "id" | "lines" | "choose">;

function MadeOf({ id, lines, isKnown, choose }: Of & { isKnown: boolean }) {
  const sources = lines.sources.get(id) ?? [];
  return (
    <>
      <Counted title="Made of" of={sources.length} />
      {sources.length === 0 && (
        <p className="muted">
          {isKnown ? "Nothing is reported: it begins here, as far as is known." : "Not loaded at this depth."}
        </p>
      )}
      <Sources sources={sources} choose={choose} />
      {sources.length > 0 && <Recipe id={id} lines={lines} choose={choose} />}
    </>
  );
}

function GoesInto({ id, lines, arrows, choose }: Of & Pick<Props, "arrows">) {
  const uses = arrows.filter(({ from }) => from === id);
  const others = indirectUses(lines, id);
  if (uses.length + others === 0) return null;
  return (
    <>
      <Counted title="Goes into" of={uses.length} />
      {others > 0 && (
        <p className="small muted">
          and {plural(others, "dataset")} more by joins, filters and groups:{" "}
          <Link href={link("impact", { node: id })}>What breaks</Link>
        </p>
      )}
      <ul className="plain">
        {uses.map((use) => (
          <li key={use.to}>
            <Chip press={() => choose(use.to)}>{titleOfId(use.to)}</Chip> {use.masked && <Masked />}
            <Steps steps={use.steps} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Indirectly({ id, lines, choose }: Of) {
  const sources = [...(lines.own.get(id) ?? []), ...(lines.dependencies.get(datasetOf(id)) ?? [])];
  if (!sources.length) return null;
  return (
    <details>
      <summary>
        <b>Depends on indirectly</b> <span className="muted">{sources.length}</span>
      </summary>
      <Sources sources={sources} choose={choose} />
    </details>
  );
}

function Steps({ steps }: { steps: ColumnArrow["steps"] }) {
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

function Sources({ sources, choose }: { sources: readonly Source[]; choose: (id: string) => void }) {
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

interface RecipeProps {
  id: string;
  lines: ColumnLines;
  choose: (id: string) => void;
}

function Recipe({ id, lines, choose }: RecipeProps) {
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

const Operations = ({ id }: { id: string }) => (
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
