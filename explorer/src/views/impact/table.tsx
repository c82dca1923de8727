/** The table of what a change reaches, and the same as CSV. */

import { useMemo } from "react";

import "./table.css";

import { impactCsv } from "../../api/report-queries";
import { keepRows } from "../../model/csv";
import { count, plural } from "../../model/format";
import { lastOf } from "../../model/freshness";
import { columnsByDataset, EFFECTS, effectOf, harmOf, type Impact, type Impacted, narrowed } from "../../model/impact";
import { titleOfId } from "../../model/titles";
import { Filter } from "../../parts/controls";
import { CsvButton } from "../../parts/export";
import { EmptyState, NodeLink, pageOf } from "../../parts/frame";
import { type Marks, useOldData, Written } from "../../parts/old-data";
import { SignOf } from "../../parts/signs";
import { type ColumnOf, LongTable } from "../../parts/table";
import { tags } from "../../parts/tags";
import { kindOf, nameOf } from "../../url/ids";
import { StateCell } from "../map/list";
import { KINDS, type Narrowing } from "./impact";

const COLUMNS_MAX = 4;

interface Props {
  impact: Impact;
  node: string;
  depth: number;
  narrowing: Narrowing;
}

export function Table({ impact, node, depth, narrowing }: Props) {
  const all = impact.impacted;
  const { kind, owner, effect, text } = narrowing;
  const rows = useMemo(() => narrowed(all, { kind, owner, effect, text }), [all, kind, owner, effect, text]);
  const marks = useOldData();
  const columns = useMemo(() => columnsFor(all, kindOf(node) === "field", marks), [all, node, marks]);
  const isNarrowed = [kind, owner, effect, text].some(Boolean);
  const csv = async () => {
    const whole = await impactCsv(node, depth);
    return isNarrowed ? keepRows(whole, new Set(rows.map(({ item }) => item.id))) : whole;
  };
  if (!all.length)
    return <EmptyState title="Nothing is made of it">No job that is known reads it, or what it writes.</EmptyState>;
  return (
    <section className="card impact">
      <div className="actions">
        <b role="status">
          {isNarrowed ? `${count(rows.length)} shown of ` : ""}
          {countsOf(all)}; {plural(Math.max(...all.map(({ hops }) => hops)), "hop")} at most
        </b>
        <Filter label="filter" value={text} set={narrowing.setText} look="push" />
        <CsvButton name={`impact-${nameOf(node).name}`} load={csv} />
      </div>
      {impact.truncated && (
        <p className="changed">
          ~ The report is truncated: more is downstream than one request reads, {count(all.length)} are here.
        </p>
      )}
      <LongTable label="impact" columns={columns} rows={rows} keyOf={(row) => row.item.id} />
    </section>
  );
}

const countsOf = (all: readonly Impacted[]) =>
  KINDS.map(
    ([of, title]) =>
      [all.filter(({ item }) => kindOf(item.id) === of).length, title.toLowerCase().slice(0, -1)] as const,
  )
    .filter(([number]) => number)
    .map(([number, of]) => plural(number, of))
    .join(", ");

/** The columns of the table; for a column's impact also its effect, and the columns that each dataset has of it. */
function columnsFor(all: readonly Impacted[], isColumn: boolean, marks: Marks): ColumnOf<Impacted>[] {
  const columns = columnsByDataset(all);
  const name: ColumnOf<Impacted> = {
    name: "Name",
    by: (row) => row.item.name,
    cell: ({ item }) => {
      const names = columns.get(item.id) ?? [];
      return (
        <>
          <NodeLink id={item.id} name={item.name} where={item.namespace} href={pageOf(item.id)} />
          {names.length > 0 && (
            <div className="mono small muted under" title={names.join(", ")}>
              {names.slice(0, COLUMNS_MAX).join(", ")}
              {names.length > COLUMNS_MAX && ` and ${count(names.length - COLUMNS_MAX)} more`}
            </div>
          )}
        </>
      );
    },
  };
  const last: ColumnOf<Impacted> = {
    name: "Last",
    by: ({ item }) => lastOf(item, marks?.get(item.id)) ?? "",
    cell: ({ item }) => <Written time={lastOf(item, marks?.get(item.id))} freshness={marks?.get(item.id)} />,
  };
  return [HOPS, name, OWNERS, ...(isColumn ? [HOW] : []), THROUGH, STATE, last, TAGS];
}

const HOPS: ColumnOf<Impacted> = { name: "Hops", number: true, by: (row) => row.hops };

const HOW: ColumnOf<Impacted> = {
  name: "What it does",
  by: harmOf,
  cell: ({ how }) => {
    if (!how) return null;
    const effect = effectOf(how);
    return (
      <span
        className={effect === "masked" ? "state is-masked" : effect === "breaks" ? "removed" : "muted"}
        title={EFFECTS[effect]}
      >
        {effect === "masked" && <SignOf of="lock" />}
        {effect}
      </span>
    );
  },
};

const OWNERS: ColumnOf<Impacted> = { name: "Owners", by: (row) => row.item.owners.join(", ") };

const THROUGH: ColumnOf<Impacted> = {
  name: "Through",
  cell: (row) => (
    <span className="small">
      {row.through
        .slice(0, 3)
        .map((id) => titleOfId(id))
        .join(", ")}
      {row.through.length > 3 && ` and ${row.through.length - 3} more`}
      {row.otherPart && (
        <span className="muted" title="its last run read other partitions or locations than were last written">
          {" · read another part"}
        </span>
      )}
    </span>
  ),
};

const STATE: ColumnOf<Impacted> = {
  name: "State",
  by: (row) => row.item.state ?? "",
  cell: (row) => <StateCell item={row.item} />,
};

const TAGS = tags<Impacted>(({ item }) => item.tags);
