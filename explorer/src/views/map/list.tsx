/** The map as a table: the same nodes, numbers and actions. */

import { useMemo, useState } from "react";
import { Choosing, ListBeside } from "../../draw/list-beside";
import { rowsOf } from "../../model/compare";
import { lastOf } from "../../model/freshness";
import type { Item } from "../../model/graph";
import { Button } from "../../parts/controls";
import { FailingTests, Written } from "../../parts/facts";
import { KindOf, Name, Stale, StateOf } from "../../parts/signs";
import { type ColumnOf, NONE } from "../../parts/table";
import type { OpenMap } from "./open-map";

type Row = ReturnType<typeof rowsOf>[number];

export function MapList({ map, isAlone }: { map: OpenMap; isAlone: boolean }) {
  const { comparison } = map.data;
  const { lineage, all: shown } = map.picture;
  const [all, setAll] = useState(false);
  const hasChanges = comparison !== null && comparison.changes.size > 0;
  const isOfChanges = hasChanges && !all;
  const rows = useMemo(() => rowsOf(lineage, shown.hops, comparison), [lineage, shown, comparison]);
  return (
    <ListBeside
      of="map"
      label="nodes of the map"
      rows={rows.filter(({ change }) => !isOfChanges || change !== null)}
      total={rows.length}
      textOf={({ item }) => `${item.name} ${item.namespace}`}
      keyOf={(row) => row.item.id}
      columns={columnsOf(map)}
      selected={map.state.sel}
      isAlone={isAlone}
    >
      {hasChanges && (
        <Button on={isOfChanges} press={() => setAll(isOfChanges)}>
          Changes alone
        </Button>
      )}
    </ListBeside>
  );
}

const HOPS: ColumnOf<Row> = {
  name: "Hops",
  number: true,
  by: (row) => row.hops,
  cell: (row) => (row.hops === 0 ? "focus" : row.hops > 0 ? `+${row.hops}` : `−${-row.hops}`),
};
const CHANGE: ColumnOf<Row> = {
  name: "Change",
  by: (row) => row.change ?? "",
  cell: ({ change, details }) =>
    change && (
      <span className={change}>
        {change === "joined" ? "new here" : change}
        {details.length > 0 && (
          <>
            <br />
            <span className="small">{details.join(", ")}</span>
          </>
        )}
      </span>
    ),
};

function columnsOf({ data, picture: { focus, freshness }, actions, handled }: OpenMap): ColumnOf<Row>[] {
  const choose = (id: string) => {
    actions.choose(id);
    handled.current?.center(id);
  };
  return [
    ...(focus ? [HOPS] : []),
    {
      name: "Name",
      by: (row) => row.item.name,
      cell: ({ item: { id, kind, namespace, name } }) => (
        <span className="named">
          <KindOf of={kind} namespace={namespace} label={kind} />
          <span>
            <Choosing id={id} choose={choose}>
              <Name text={name} />
            </Choosing>{" "}
            <span className="where">{namespace}</span>
          </span>
        </span>
      ),
    },
    ...(data.comparison ? [CHANGE] : []),
    {
      name: "State",
      by: (row) => row.item.state ?? (row.item.stale ? "stale" : ""),
      cell: (row) => <StateCell item={row.item} />,
    },
    {
      name: "Last",
      by: (row) => lastOf(row.item, freshness.get(row.item.id)) ?? "",
      cell: ({ item }) => <Written time={lastOf(item, freshness.get(item.id))} freshness={freshness.get(item.id)} />,
    },
    { name: "In", number: true, by: (row) => row.inputs },
    { name: "Out", number: true, by: (row) => row.outputs },
  ];
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
