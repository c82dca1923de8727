/** The lines of columns as a table, and the columns as files. */

import type { DrawnArrow } from "../../draw/elements";
import { Choosing, ListBeside } from "../../draw/list-beside";
import type { Figure } from "../../draw/svg";
import type { Box } from "../../layout/boxes";
import type { ColumnArrow } from "../../model/columns";
import type { ColumnComparison } from "../../model/compare-columns";
import { toCsv } from "../../model/csv";
import { arrowKey } from "../../model/graph";
import { titleOfId } from "../../model/titles";
import { Downloads } from "../../parts/export";
import { Masked, Name, pathOfKind } from "../../parts/signs";
import type { ColumnOf } from "../../parts/table";
import { datasetOf, nameOf } from "../../url/ids";
import { aboutRow, usedFor } from "./card";
import type { ColumnsPicture, OpenColumns } from "./open-columns";

export function ColumnList({ columns: { picture, actions, list } }: { columns: OpenColumns }) {
  const { kept, path, sel, comparison } = picture;
  const changeOf = changesOf(comparison);
  const lines = kept.filter(({ from, to }) => !path || (path.has(from) && path.has(to)));
  return (
    <ListBeside
      of="columns"
      label="lines of columns"
      // What changed first.
      rows={[...lines.filter(changeOf), ...lines.filter((row) => !changeOf(row))]}
      total={kept.length}
      textOf={({ from, to }) => `${titleOfId(from)} ${titleOfId(to)}`}
      keyOf={arrowKey}
      columns={columnsOf(actions.choose, comparison)}
      selected={sel}
      isAlone={list.isNarrow}
      note={path && ", on the path of the chosen column"}
    />
  );
}

function columnsOf(choose: (id: string) => void, comparison: ColumnComparison | null): ColumnOf<ColumnArrow>[] {
  const end = (name: string, idOf: (row: ColumnArrow) => string): ColumnOf<ColumnArrow> => ({
    name,
    look: "mono",
    by: idOf,
    cell: (row) => (
      <Choosing id={idOf(row)} choose={choose}>
        <Name text={titleOfId(idOf(row))} />
      </Choosing>
    ),
  });
  return [
    end("From", ({ from }) => from),
    end("To", ({ to }) => to),
    ...(comparison ? [changeColumn(comparison)] : []),
    { name: "How", by: (row) => row.steps[0]?.kind ?? "", cell: (row) => <How arrow={row} /> },
  ];
}

/** Return what changed of a line: itself, or the type of the column that it leads to; empty if nothing did. */
const changesOf = (comparison: ColumnComparison | null) => (line: ColumnArrow) =>
  comparison ? (comparison.arrows.get(arrowKey(line)) ?? comparison.changes.get(line.to) ?? "") : "";

function changeColumn(comparison: ColumnComparison): ColumnOf<ColumnArrow> {
  const changeOf = changesOf(comparison),
    { details } = comparison;
  return {
    name: "Change",
    by: changeOf,
    cell: (row) => (
      <span className={changeOf(row)}>
        {changeOf(row)} <span className="small">{details.get(row.to)?.join(", ")}</span>
      </span>
    ),
  };
}

const How = ({ arrow: { steps, direct, masked } }: { arrow: ColumnArrow }) => (
  <>
    {masked && <Masked />} {direct ? "" : "indirect "}
    {steps.map((step) => step.description || step.kind.toLowerCase()).join("; ")}
  </>
);

const LEGEND = [
  ["focus", "on the path"],
  ["text", "computed"],
  ["muted", "copied"],
  ["warn", "late"],
] as const;

export function ExportMenu({ columns: { state, picture, layout } }: { columns: OpenColumns }) {
  const name = nameOf(state.node);
  const draw = () =>
    [
      picture.boxes.map((box) => figureOf(picture, box, datasetOf(state.node))),
      picture.arrows.map((arrow) => lineOf(arrow, picture.path !== null)),
    ] as const;
  return (
    <Downloads
      name={name.field ?? name.name}
      picture={{ layout, at: state.at, legend: LEGEND, draw }}
      csv={() => csvOf(picture)}
    />
  );
}

function figureOf(picture: ColumnsPicture, { id, width, height }: Box, focus: string): Figure {
  const { cards, indirect, titles, path, formulas, freshness } = picture;
  const card = cards.find((other) => other.id === id);
  const source = indirect.find((other) => other.id === id);
  const shared = {
    id,
    width,
    height,
    title: titles.get(id)!.title,
    sign: pathOfKind("dataset", (card ?? source)!.namespace),
  };
  if (!card) {
    const about = source ? usedFor(source) : "";
    return { ...shared, kind: "dataset", name: source?.name ?? "", about, ink: "dataset", dashed: true };
  }
  return {
    ...shared,
    kind: "columns",
    name: card.name,
    about: "",
    ink: card.stale ? "warn" : "dataset",
    isFocus: id === focus,
    health: freshness?.has(id) ? "warn" : undefined,
    rows: [
      ...(card.filter === null ? [] : [{ text: "", lit: false }]),
      ...card.columns.map(({ id, field, type }) => {
        const [lit, formula] = [path?.has(id) ?? false, formulas.get(id)];
        return { text: field, lit, isCopy: formula === "", about: aboutRow(field, type, lit ? (formula ?? "") : "") };
      }),
    ],
  };
}

const lineOf = ({ look, ...arrow }: DrawnArrow, isLit: boolean) => ({
  ...arrow,
  dashed: look?.includes("is-indirect") ?? false,
  ink: isLit ? ("focus" as const) : ("line" as const),
});

const csvOf = ({ kept, path }: ColumnsPicture): string =>
  toCsv(
    ["source", "column", "direct", "masked", "transformations"],
    kept
      .filter(({ from, to }) => !path || (path.has(from) && path.has(to)))
      .map(({ from, to, direct, masked, steps }) => [
        from,
        to,
        direct,
        masked,
        steps.map((step) => step.description || step.kind).join("; "),
      ]),
  );
