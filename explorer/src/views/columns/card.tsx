/** A dataset opened to its columns. */

import "./card.css";

import { useStore } from "@xyflow/react";
import { BoxTitle } from "../../draw/card";
import { zoomLevel } from "../../draw/sight";
import type { Box } from "../../layout/boxes";
import type { Card, IndirectSource } from "../../model/columns";
import type { Change } from "../../model/compare";
import { count, cutMiddle } from "../../model/format";
import { type Freshness, troubleOf } from "../../model/freshness";
import { splitTitle, type Title } from "../../model/titles";
import { KindOf, SignOf } from "../../parts/signs";

// The room of a card; a longer type is in the hint and in the panel.
const NAME_PX = 190,
  ROW_CHARS_MAX = 27,
  FORMULA_CHARS_MIN = 6;
const ROW_CHARS: Readonly<Record<string, number>> = { "zoom-large": 23, "zoom-name": 17 };

const WIDTH = 240,
  HEAD = 34,
  ROW = 26;

/** Return the box of a card: its head, its columns, and the line to open the rest. */
export const boxOf = (card: Card): Box => ({
  id: card.id,
  width: WIDTH,
  height: rowY(card, card.columns.length) - ROW / 2 + (card.more ? ROW : 0) + 2,
});

/** Return where the middle of a column's row is, from the top of its card. */
export const rowY = ({ filter }: Card, index: number) => HEAD + ROW * (index + (filter === null ? 0 : 1)) + ROW / 2;

export const changeOf = (change: Change | undefined) => (change ? `is-${change}` : "");
const SIGNS = { added: "+", removed: "−", changed: "~" } as const;

interface Props {
  card: Card;
  title: Title;
  focus: boolean;
  sel: string;
  path: ReadonlySet<string> | null;
  changes: ReadonlyMap<string, Change> | undefined;
  formulas: ReadonlyMap<string, string>;
  freshness: Freshness | undefined;
  choose: (id: string) => void;
  /** Draw all columns with the filter's text in their names. */
  open: (filter: string) => void;
}

export function ColumnCard({ card, title, focus, sel, path, changes, formulas, freshness, choose, open }: Props) {
  const [folder, name] = splitTitle(title.title);
  const trouble = troubleOf(freshness);
  return (
    <div
      className={`box of-dataset of-columns ${focus ? "is-focus" : ""} ${card.stale ? "is-stale" : ""} ${trouble ? "health-late" : ""}`}
    >
      <div className="name" title={[card.name, card.namespace, trouble].join("\n").trimEnd()}>
        <KindOf of="dataset" namespace={card.namespace} />
        <BoxTitle of={{ ...title, title: name }} width={NAME_PX} lines={1} />
        {folder && <span className="where">{folder}</span>}
        {card.stale && (
          <span className="stale" title="stale">
            <SignOf of="stale" label="stale" />
          </span>
        )}
      </div>
      {card.filter !== null && (
        <input
          className="field nodrag"
          placeholder={`filter ${count(card.columns.length + card.more)} columns`}
          aria-label={`filter the columns of ${card.name}`}
          value={card.filter}
          onClick={(event) => event.stopPropagation()}
          onChange={(event) => open(event.target.value)}
        />
      )}
      {card.columns.map((column) => (
        <Row
          key={column.id}
          column={column}
          look={`${column.id === sel ? "is-selected" : path?.has(column.id) ? "is-lit" : path ? "is-muted" : ""}${formulas.get(column.id) === "" ? " is-copy" : ""}`}
          formula={formulas.get(column.id)?.trim() ?? ""}
          change={changes?.get(column.id)}
          choose={choose}
        />
      ))}
      {card.more > 0 && (
        <button
          className="row rest nodrag"
          onClick={(event) => {
            event.stopPropagation();
            open("");
          }}
        >
          {count(card.more)} more columns
        </button>
      )}
    </div>
  );
}

/** Return the formula of a column on the path, cut at its end, else its type; none without room beside the name. */
export function aboutRow(field: string, type: string | null, formula: string): string {
  const room = ROW_CHARS_MAX - field.length - 1;
  if (formula && room >= FORMULA_CHARS_MIN) return formula.length > room ? `${formula.slice(0, room - 1)}…` : formula;
  return type && type.length <= room ? type : "";
}

interface RowProps {
  column: Card["columns"][number];
  look: string;
  formula: string;
  change: Change | undefined;
  choose: (id: string) => void;
}

function Row({ column: { id, field, type }, look, formula, change, choose }: RowProps) {
  const isFormula = formula !== "" && /is-(selected|lit)/.test(look);
  const about = isFormula ? formula : aboutRow(field, type, "");
  return (
    <button
      className={`row nodrag ${changeOf(change)} ${look}`}
      aria-pressed={look.startsWith("is-selected")}
      title={`${field}${type ? `: ${type}` : ""}${formula && `\n${formula}`}`}
      onClick={(event) => {
        event.stopPropagation();
        choose(id);
      }}
    >
      {change && (
        <b className="change" aria-label={change}>
          {SIGNS[change]}
        </b>
      )}
      <span>{cutMiddle(field, ROW_CHARS[useStore(zoomLevel)] ?? ROW_CHARS_MAX)}</span>
      {about && <span className={isFormula ? "type formula" : "type"}>{about}</span>}
    </button>
  );
}

export const INDIRECT = { width: 240, height: 54 };
const TITLE_PX = 190;
const ABOUT_CHARS_MAX = 32;

/** Return "join, filter · customer_id, status": the roles of its columns, and their names. */
export function usedFor({ roles, fields }: IndirectSource): string {
  return [roles.join(", "), fields.join(", ")].filter(Boolean).join(" · ");
}

export function IndirectBox({ source, title }: { source: IndirectSource; title: Title }) {
  const about = usedFor(source);
  return (
    <div
      className="box of-dataset of-indirect"
      title={`${source.name}\n${source.namespace}\nwhat it decides is which rows there are: ${about}`}
    >
      <div className="name">
        <KindOf of="dataset" namespace={source.namespace} />
        <BoxTitle of={title} width={TITLE_PX} lines={1} />
      </div>
      <div className="about">{about.length > ABOUT_CHARS_MAX ? `${about.slice(0, ABOUT_CHARS_MAX - 1)}…` : about}</div>
    </div>
  );
}
