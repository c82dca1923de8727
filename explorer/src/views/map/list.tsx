/** The map as a table: the same nodes, numbers and actions. */

import { useMemo, useState } from "react";

import type { Comparison } from "../../model/compare";
import { count } from "../../model/format";
import type { Freshness } from "../../model/freshness";
import type { Item, Lineage, Shown } from "../../model/graph";
import { rowsOf } from "../../model/list";
import { Filter } from "../../parts/controls";
import { Name } from "../../parts/name";
import { Written } from "../../parts/old-data";
import { KindOf, Stale, StateOf } from "../../parts/signs";
import { type ColumnOf, LongTable, NONE } from "../../parts/table";
import { FailingTests } from "../../parts/tests";

interface Props {
  lineage: Lineage;
  shown: Shown;
  focus: string;
  sel: string;
  freshness: ReadonlyMap<string, Freshness>;
  comparison: Comparison | null;
  choose: (id: string) => void;
  alone: boolean;
}

/** When a job ran last, or a dataset was written: of a late dataset, as the service knows. */
const lastOf = (item: Item, freshness: ReadonlyMap<string, Freshness>) =>
  freshness.get(item.id)?.written ?? item.touchedAt;

type Row = ReturnType<typeof rowsOf>[number];

export function MapList({ lineage, shown, focus, sel, freshness, comparison, choose, alone }: Props) {
  const [filter, setFilter] = useState("");
  const [all, setAll] = useState(false);
  const isOfChanges = comparison !== null && comparison.changes.size > 0 && !all;
  const rows = useMemo(() => rowsOf(lineage, shown.hops, comparison), [lineage, shown, comparison]);
  const matches = rows.filter(
    ({ item, change }) =>
      (!isOfChanges || change !== null) &&
      `${item.name} ${item.namespace}`.toLowerCase().includes(filter.toLowerCase()),
  );
  const hops: ColumnOf<Row> = {
    name: "Hops",
    number: true,
    by: (row) => row.hops,
    cell: (row) => (row.hops === 0 ? "focus" : row.hops > 0 ? `+${row.hops}` : `−${-row.hops}`),
  };
  const columns: ColumnOf<Row>[] = [
    ...(focus ? [hops] : []),
    { name: "Name", by: (row) => row.item.name, cell: (row) => <NameCell item={row.item} choose={choose} /> },
    ...(comparison
      ? [{ name: "Change", by: (row: Row) => row.change ?? "", cell: (row: Row) => <ChangeCell row={row} /> }]
      : []),
    {
      name: "State",
      by: (row) => row.item.state ?? (row.item.stale ? "stale" : ""),
      cell: (row) => <StateCell item={row.item} />,
    },
    {
      name: "Last",
      by: (row) => lastOf(row.item, freshness) ?? "",
      cell: ({ item }) => <Written time={lastOf(item, freshness)} freshness={freshness.get(item.id)} />,
    },
    { name: "In", number: true, by: (row) => row.inputs },
    { name: "Out", number: true, by: (row) => row.outputs },
  ];
  return (
    <section className={`beside${alone ? " alone" : ""}`} aria-label="the map as a list">
      <div className="actions">
        <Filter label="filter the list" value={filter} set={setFilter} />
        <span className="muted" role="status">
          {count(matches.length)} of {count(rows.length)}
        </span>
        {comparison !== null && comparison.changes.size > 0 && (
          <button className="button" aria-pressed={isOfChanges} onClick={() => setAll(isOfChanges)}>
            Changes alone
          </button>
        )}
      </div>
      <LongTable
        label="nodes of the map"
        columns={columns}
        rows={matches}
        keyOf={(row) => row.item.id}
        selected={sel}
      />
    </section>
  );
}

function NameCell({ item, choose }: { item: Item; choose: (id: string) => void }) {
  return (
    <span className="named">
      <KindOf of={item.kind} namespace={item.namespace} label={item.kind} />
      <span>
        <a
          href={`#${item.id}`}
          onClick={(event) => {
            event.preventDefault();
            choose(item.id);
          }}
        >
          <Name text={item.name} />
        </a>{" "}
        <span className="where">{item.namespace}</span>
      </span>
    </span>
  );
}

export function StateCell({ item }: { item: Item }) {
  if (item.kind === "job")
    return (
      <>
        <StateOf state={item.state} /> <FailingTests tests={item.tests} />
      </>
    );
  if (item.tests?.failed) return <FailingTests tests={item.tests} />;
  return item.stale ? <Stale /> : NONE;
}

function ChangeCell({ row }: { row: Row }) {
  return row.change ? (
    <span className={row.change}>
      {row.change === "joined" ? "new here" : row.change}
      {row.details.length > 0 && (
        <>
          <br />
          <span className="small">{row.details.join(", ")}</span>
        </>
      )}
    </span>
  ) : null;
}
