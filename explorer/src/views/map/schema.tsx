/** The schema of a dataset, as the panel of a map has it. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";

import { dataset as fetchDataset } from "../../api/queries";
import { count } from "../../model/format";
import type { Item } from "../../model/graph";
import { Counted } from "../../parts/controls";
import { columnsLink } from "../../url/state";

/** A dataset's columns: a map fetched in short has only their number. */
export function Schema({ item }: { item: Item }) {
  const { data } = useQuery({ ...fetchDataset(item.id), enabled: item.fields.length === 0 });
  const fields = data?.fields ?? item.fields;
  return (
    <section>
      <Counted title="Columns" of={count(item.fieldCount)} />
      <table className="table">
        <tbody>
          {fields.slice(0, 100).map((field) => (
            <tr key={field.name}>
              <td className="mono">
                <Link href={columnsLink({ node: `datasetField:${item.namespace}:${item.name}:${field.name}` })}>
                  {field.name}
                </Link>
                {field.description && <div className="small muted">{field.description}</div>}
              </td>
              <td className="muted">{field.type ?? ""}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
