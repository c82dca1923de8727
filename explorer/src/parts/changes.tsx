/** The panel of a comparison: what was added, removed and changed, who did it and when, to be stepped through. */

import "./changes.css";

import { Link } from "wouter";

import { type ChangeRow, KINDS, nextChange } from "../model/changes";
import type { NodeChange } from "../model/compare";
import { count } from "../model/format";
import { titleOfId } from "../model/titles";
import { link } from "../url/state";
import { CloseButton } from "./controls";
import { When } from "./frame";
import { KindOf } from "./signs";

const ROWS_MAX = 200;
const WORDS: Readonly<Record<NodeChange, string>> = {
  added: "+ Added",
  removed: "− Removed",
  changed: "~ Changed",
  joined: "+ New here, existed before",
};

/** A comparison's changes, and what its panel does. */
export interface Steps {
  /** Empty without a comparison. */
  rows: readonly ChangeRow[];
  isOpen: boolean;
  /** What is said in place of causes that are not known. */
  note: string;
  sel: string;
  titleOf: (row: ChangeRow) => string;
  /** Select a change, and bring it to the middle. */
  goTo: (id: string) => void;
  close: () => void;
}

export function ChangesPanel({ steps }: { steps: Steps }) {
  const { rows, note, close } = steps;
  return (
    <aside className="side changes-of" aria-label="changes">
      <CloseButton close={close} />
      <h1>Changes</h1>
      <p className="small muted">
        <kbd>↑</kbd> <kbd>↓</kbd> go from one to the next.
      </p>
      {note && <p className="small muted">{note}</p>}
      {KINDS.map((kind) => (
        <Group key={kind} kind={kind} rows={rows.filter(({ change }) => change === kind)} steps={steps} />
      ))}
    </aside>
  );
}

function Group({ kind, rows, steps }: { kind: NodeChange; rows: readonly ChangeRow[]; steps: Steps }) {
  if (!rows.length) return null;
  return (
    <section>
      <h2>
        <span className={kind}>{WORDS[kind]}</span> <span className="muted">{count(rows.length)}</span>
      </h2>
      <ul className="plain">
        {rows.slice(0, ROWS_MAX).map((row) => (
          <li key={row.id}>
            <Change row={row} steps={steps} />
          </li>
        ))}
      </ul>
      {rows.length > ROWS_MAX && <p className="muted">and {count(rows.length - ROWS_MAX)} more, in the list</p>}
    </section>
  );
}

function Change({ row, steps }: { row: ChangeRow; steps: Steps }) {
  const { id, kind, namespace, name, details, isDrawn, cause } = row;
  const [first, ...others] = cause?.runs ?? [];
  return (
    <>
      <button
        className="step"
        disabled={!isDrawn}
        aria-current={id === steps.sel || undefined}
        title={`${name}\n${namespace}`}
        onClick={() => stepTo(steps, id)}
      >
        <KindOf of={kind} namespace={namespace} label={kind === "field" ? "column" : kind} />{" "}
        <b>{steps.titleOf(row)}</b>
        {!isDrawn && <span className="muted small"> not drawn</span>}
        {details.map((detail) => (
          <div key={detail} className="small mono">
            {detail}
          </div>
        ))}
      </button>
      {cause && (
        <div className="by">
          <When time={cause.time} />
          {first ? " by " : ", by no run"}
          {first?.run ? (
            <Link href={link("run", { id: first.run })}>{titleOfId(first.job)}</Link>
          ) : (
            first && titleOfId(first.job)
          )}
          {others.length > 0 && ` and ${count(others.length)} more`}
        </div>
      )}
    </>
  );
}

/** Go to a change, and have the keyboard in its row. */
function stepTo({ goTo }: Steps, id: string): void {
  goTo(id);
  requestAnimationFrame(() => document.querySelector<HTMLElement>(".changes-of [aria-current]")?.focus());
}

/** Go to the change below or above the selected one, as the arrow keys do. */
export function stepBy(steps: Steps, event: KeyboardEvent): void {
  event.preventDefault();
  const next = nextChange(steps.rows, steps.sel, event.key === "ArrowDown" ? 1 : -1);
  if (next) stepTo(steps, next.id);
}
