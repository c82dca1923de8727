/** The schema of a dataset: its columns, with ways to what is made of each. */

import { useState } from "react";
import { Link } from "wouter";

import type { Dataset } from "../../api/queries";
import { count } from "../../model/format";
import { Filter } from "../../parts/controls";
import { Edit } from "../../parts/edit";
import { Nothing } from "../../parts/frame";
import { Tags } from "../../parts/tags";
import { fieldId } from "../../url/ids";
import { columnsLink, link } from "../../url/state";

const FILTERED_FROM = 20;

export function Schema({ dataset }: { dataset: Dataset }) {
  const [filter, setFilter] = useState("");
  if (!dataset.fields.length)
    return (
      <Nothing title="No schema was reported">
        A job reports it in the facet <code>schema</code> of its inputs and outputs.
      </Nothing>
    );
  const fields = dataset.fields.filter(({ name }) => name.toLowerCase().includes(filter.toLowerCase()));
  return (
    <section className="card">
      {dataset.fields.length >= FILTERED_FROM && (
        <div className="actions">
          <Filter label="filter the columns" value={filter} set={setFilter} />
          <span className="muted" role="status">
            {count(fields.length)} of {count(dataset.fields.length)}
          </span>
        </div>
      )}
      <Columns dataset={dataset} fields={fields} />
    </section>
  );
}

/** A table of the fields; its columns are the same for each filter. */
function Columns({ dataset, fields }: { dataset: Dataset; fields: Dataset["fields"] }) {
  const isDescribed = dataset.fields.some(({ description }) => description),
    isTagged = dataset.fields.some(({ tags }) => tags.length);
  return (
    <table className="table">
      <thead>
        <tr>
          <th>Column</th>
          <th>Type</th>
          {isDescribed && <th>Description</th>}
          {isTagged && <th>Tags</th>}
          <th>See</th>
        </tr>
      </thead>
      <tbody>
        {fields.map((field) => {
          const id = fieldId(dataset, field.name);
          return (
            <tr key={field.name}>
              <td className="mono">
                <Link href={columnsLink({ node: id })}>{field.name}</Link>
              </td>
              <td className="mono muted">{field.type ?? "–"}</td>
              {isDescribed && <td>{field.description ?? ""}</td>}
              {isTagged && (
                <td>
                  <Tags names={field.tags} />
                </td>
              )}
              <td className="fixed">
                <Link href={link("impact", { node: id })}>what breaks</Link> ·{" "}
                <Link href={link("usage", { node: id })}>usage</Link> <Edit id={id} namespace={dataset.namespace} />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
