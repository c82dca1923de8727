/** The schema of a dataset, as the panel of a map has it. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";

import { dataset as fetchDataset } from "../../api/queries";
import { count } from "../../model/format";
import type { Item } from "../../model/graph";
import { Counted } from "../../parts/controls";
import { type ColumnOf, LongTable } from "../../parts/table";
import { fieldId } from "../../url/ids";
import { columnsLink } from "../../url/state";

/** A dataset's columns: a map fetched in short has only their number. */
export function Schema({ item }: { item: Item }) {
  const { data } = useQuery({ ...fetchDataset(item.id), enabled: item.fields.length === 0 });
  const fields = data?.fields ?? item.fields;
  return (
    <section>
      <Counted title="Columns" of={count(item.fieldCount)} />
      <LongTable label="columns" columns={COLUMNS} rows={fields.map((field) => ({ ...field, item }))} height="60vh" />
    </section>
  );
}

type Field = Item["fields"][number] & { item: Item };

const COLUMNS: ColumnOf<Field>[] = [
  {
    name: "Column",
    look: "mono",
    cell: ({ item, name, description }) => (
      <>
        <Link href={columnsLink({ node: fieldId(item, name) })}>{name}</Link>
        {description && <div className="small muted">{description}</div>}
      </>
    ),
  },
  { name: "Type", look: "muted", by: ({ type }) => type ?? "" },
];
