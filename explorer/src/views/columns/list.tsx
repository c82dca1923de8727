/** The lines of columns as a table. */

import { useState } from "react";

import type { ColumnArrow } from "../../model/columns";
import type { ColumnComparison } from "../../model/compare-columns";
import { count } from "../../model/format";
import { arrowKey } from "../../model/graph";
import { titleOfId } from "../../model/titles";
import { Filter } from "../../parts/controls";
import { Name } from "../../parts/name";
import { SignOf } from "../../parts/signs";
import { type ColumnOf, LongTable } from "../../parts/table";

interface Props {
  arrows: readonly ColumnArrow[];
  path: ReadonlySet<string> | null;
  sel: string;
  choose: (id: string) => void;
  alone?: boolean;
  comparison: ColumnComparison | null;
}

export function ColumnList({ arrows, path, sel, choose, alone = false, comparison }: Props) {
  const [filter, setFilter] = useState("");
  const changeOf = changesOf(comparison);
  const matches = arrows.filter(
    ({ from, to }) =>
      (!path || (path.has(from) && path.has(to))) &&
      `${titleOfId(from)} ${titleOfId(to)}`.toLowerCase().includes(filter.toLowerCase()),
  );
  // What changed first.
  const rows = [...matches.filter(changeOf), ...matches.filter((row) => !changeOf(row))];
  return (
    <section className={`beside${alone ? " alone" : ""}`} aria-label="the columns as a list">
      <div className="actions">
        <Filter label="filter the list" value={filter} set={setFilter} />
        <span className="muted" role="status">
          {count(rows.length)} of {count(arrows.length)}
          {path && ", on the path of the chosen column"}
        </span>
      </div>
      <LongTable
        label="lines of columns"
        rows={rows}
        keyOf={(row) => `${row.from}→${row.to}`}
        selected={sel}
        columns={columnsOf(choose, comparison)}
      />
    </section>
  );
}

const columnsOf = (choose: (id: string) => void, comparison: ColumnComparison | null): ColumnOf<ColumnArrow>[] => [
  { name: "From", by: (row) => row.from, cell: (row) => <Choosing id={row.from} choose={choose} /> },
  { name: "To", by: (row) => row.to, cell: (row) => <Choosing id={row.to} choose={choose} /> },
  ...(comparison ? [changeColumn(comparison)] : []),
  { name: "How", by: (row) => row.steps[0]?.kind ?? "", cell: (row) => <How arrow={row} /> },
];

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

function Choosing({ id, choose }: { id: string; choose: (id: string) => void }) {
  return (
    <a
      href={`#${id}`}
      className="mono"
      onClick={(event) => {
        event.preventDefault();
        choose(id);
      }}
    >
      <Name text={titleOfId(id)} />
    </a>
  );
}

function How({ arrow: { steps, direct, masked } }: { arrow: ColumnArrow }) {
  return (
    <>
      {masked && (
        <span className="is-masked">
          <SignOf of="lock" />
          masked{" "}
        </span>
      )}
      {direct ? "" : "indirect "}
      {steps.map((step) => step.description || step.kind.toLowerCase()).join("; ")}
    </>
  );
}
