/** What stands beside the columns: what the selected one is made of and goes into, who reported it, its runs. */

import { Link } from "wouter";
import { origins } from "../../api/queries";
import { type Column, type ColumnArrow, type ColumnLines, indirectUses } from "../../model/columns";
import { plural } from "../../model/format";
import { titleOf, titleOfId } from "../../model/titles";
import { Chip, CloseButton, Counted, LinkButton, MainLink, MonoLink } from "../../parts/controls";
import { Edit } from "../../parts/edit";
import { Asked, NodeLink, Opened } from "../../parts/frame";
import { OriginLines } from "../../parts/origin";
import { Pin } from "../../parts/pin";
import { KindOf, Masked } from "../../parts/signs";
import { datasetOf, jobId, nameOf } from "../../url/ids";
import { columnsLink, link, mapLink } from "../../url/state";
import { Operations, Recipe, Sources, Steps } from "./sources";

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
      {column && column.reportedBy.length > 0 && (
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
      )}
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
