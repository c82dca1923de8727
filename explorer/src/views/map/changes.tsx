/** The panel of a comparison: what was added, removed and changed, who did it and when, to be stepped through. */

import { Link } from "wouter";

import { type Cause, type ChangeRow, KINDS } from "../../model/changes";
import type { NodeChange } from "../../model/compare";
import { count } from "../../model/format";
import { titleOf, titleOfId } from "../../model/titles";
import { When } from "../../parts/frame";
import { SignOf } from "../../parts/signs";
import { link } from "../../url/state";
import type { OpenMap } from "./open-map";

const ROWS_MAX = 200;
const WORDS: Readonly<Record<NodeChange, string>> = {
  added: "+ Added",
  removed: "− Removed",
  changed: "~ Changed",
  joined: "+ New here, existed before",
};

export function ChangesPanel({ map }: { map: OpenMap }) {
  const { rows, note } = map.changes;
  return (
    <aside className="side changes-of" aria-label="changes">
      <button className="icon close" aria-label="close" onClick={() => map.actions.to({ panel: "none" })}>
        <SignOf of="close" />
      </button>
      <h1>Changes</h1>
      <p className="small muted">
        <kbd>↑</kbd> <kbd>↓</kbd> go from one to the next.
      </p>
      {note && <p className="small muted">{note}</p>}
      {KINDS.map((kind) => (
        <Group key={kind} kind={kind} rows={rows.filter(({ change }) => change === kind)} map={map} />
      ))}
    </aside>
  );
}

function Group({ kind, rows, map }: { kind: NodeChange; rows: readonly ChangeRow[]; map: OpenMap }) {
  if (!rows.length) return null;
  return (
    <section>
      <h2>
        <span className={kind}>{WORDS[kind]}</span> <span className="muted">{count(rows.length)}</span>
      </h2>
      <ul className="plain">
        {rows.slice(0, ROWS_MAX).map((row) => (
          <li key={row.item.id}>
            <Change row={row} map={map} />
          </li>
        ))}
      </ul>
      {rows.length > ROWS_MAX && <p className="muted">and {count(rows.length - ROWS_MAX)} more, in the list</p>}
    </section>
  );
}

function Change({ row: { item, details, isDrawn, cause }, map }: { row: ChangeRow; map: OpenMap }) {
  const title = map.picture.titles.get(item.id)?.title ?? titleOf(item);
  return (
    <>
      <button
        className="step"
        disabled={!isDrawn}
        aria-current={item.id === map.state.sel || undefined}
        title={`${item.name}\n${item.namespace}`}
        onClick={() => goTo(map, item.id)}
      >
        <span className={`kind-${item.kind}`}>
          <SignOf of={item.kind} label={item.kind} />
        </span>{" "}
        <b>{title}</b>
        {!isDrawn && <span className="muted small"> not drawn</span>}
        {details.map((detail) => (
          <div key={detail} className="small mono">
            {detail}
          </div>
        ))}
      </button>
      {cause && <By cause={cause} />}
    </>
  );
}

function By({ cause: { time, runs } }: { cause: Cause }) {
  const [first] = runs;
  return (
    <div className="by">
      <When time={time} />
      {first ? (
        <>
          {" "}
          by{" "}
          {first.run ? <Link href={link("run", { id: first.run })}>{titleOfId(first.job)}</Link> : titleOfId(first.job)}
          {runs.length > 1 && ` and ${count(runs.length - 1)} more`}
        </>
      ) : (
        ", by no run"
      )}
    </div>
  );
}

/** Select a change, and bring it to the middle. */
export function goTo({ actions, handled }: OpenMap, id: string): void {
  actions.to({ sel: id, to: "", panel: "changes" }, id);
  handled.current?.center(id);
  requestAnimationFrame(() => document.querySelector<HTMLElement>(".changes-of [aria-current]")?.focus());
}
