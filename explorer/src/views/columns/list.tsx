/** The lines of columns as a table. */

import { Choosing, ListBeside } from "../../draw/list-beside";
import type { ColumnArrow } from "../../model/columns";
import type { ColumnComparison } from "../../model/compare-columns";
import { arrowKey } from "../../model/graph";
import { titleOfId } from "../../model/titles";
import { Name } from "../../parts/name";
import { Masked } from "../../parts/signs";
import type { ColumnOf } from "../../parts/table";
import type { OpenColumns } from "./open-columns";

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
