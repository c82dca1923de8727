/** A comparison: its panel of changes to be stepped through, and the history with their makers. */

import "./changes.css";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Link } from "wouter";
import { datasetVersions, history } from "../api/queries";
import { type ChangeRow, KINDS, nextChange, type Step, stepsOfVersions } from "../model/changes";
import type { NodeChange } from "../model/compare";
import { count } from "../model/format";
import { titleOfId } from "../model/titles";
import { kindOf } from "../url/ids";
import { link, type Moment } from "../url/state";
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

/** A comparison's changes, and the acts of its panel. */
export interface Steps {
  /** Empty without a comparison. */
  rows: readonly ChangeRow[];
  isOpen: boolean;
  /** The words in place of unknown causes. */
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

const NONE: never[] = [];

interface Compared extends Moment {
  node: string;
  /** How far the graph reaches, in jobs. */
  depth: number;
}

/** Return the steps of the history, and a note where they are not known; while not `isOpen`, nothing is asked. */
export function useCauses({ node, depth, at, vs }: Compared, isOpen: boolean, isTooWide: boolean) {
  const isBackward = at !== "" && at < vs;
  const { data, error, isPending } = useQuery({
    queryKey: ["history", node, depth, vs, at],
    queryFn: ({ signal }) => history(node, depth, signal, { since: vs, until: at }),
    enabled: isOpen && !isTooWide && !isBackward,
    retry: false,
  });
  const ofFocus = useOwnCauses({ node, at, vs }, isOpen && isTooWide && !isBackward && kindOf(node) === "dataset");
  if (isBackward)
    return { causes: NONE, note: "Who made them is known of an earlier time than the one that is shown." };
  if (ofFocus.length)
    return { causes: ofFocus, note: `Who made them is known of ${titleOfId(node)} alone: it has too many neighbours.` };
  if (isTooWide || data === null)
    return {
      causes: NONE,
      note: "Who made them is not known here: too many neighbours, or too many changes, to read.",
    };
  if (error) return { causes: NONE, note: `Who made them is not known: ${error.message}.` };
  return { causes: data ?? NONE, note: isPending ? "looking for who made them…" : "" };
}

const VERSIONS_MAX = 100;

/** The changes of the focus's own schema, by its versions: they are few where the history of the graph is too long. */
function useOwnCauses({ node, at, vs }: Omit<Compared, "depth">, isAsked: boolean): readonly Step[] {
  const { data } = useQuery({ ...datasetVersions(node, VERSIONS_MAX), enabled: isAsked, retry: false });
  return useMemo(
    () => (isAsked && data ? stepsOfVersions(node, data.versions, { vs, at }) : NONE),
    [isAsked, data, node, vs, at],
  );
}
