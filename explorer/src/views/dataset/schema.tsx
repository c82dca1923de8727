/** The schema of a dataset: its columns, with ways to what is made of each. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";

import type { Dataset } from "../../api/queries";
import { columnReadersQuery } from "../../api/report-queries";
import { count, plural } from "../../model/format";
import { Filter } from "../../parts/controls";
import { Edit } from "../../parts/edit";
import { Nothing } from "../../parts/frame";
import { useReader } from "../../parts/me";
import { Tags } from "../../parts/tags";
import { datasetId, fieldId } from "../../url/ids";
import { columnsLink, link } from "../../url/state";

const FILTERED_FROM = 20;

export function Schema({ dataset }: { dataset: Dataset }) {
  const [filter, setFilter] = useState("");
  const [isUnread, setUnread] = useState(false);
  const { can } = useReader();
  const enabled = dataset.fields.length > 0 && can("reportColumnReaders");
  const { data: readers } = useQuery({ ...columnReadersQuery(datasetId(dataset)), enabled });
  if (!dataset.fields.length)
    return (
      <Nothing title="No schema was reported">
        A job reports it in the facet <code>schema</code> of its inputs and outputs.
      </Nothing>
    );
  const unread = dataset.fields.filter(({ name }) => readers?.jobs.get(name) === 0);
  const fields = (isUnread ? unread : dataset.fields).filter(({ name }) =>
    name.toLowerCase().includes(filter.toLowerCase()),
  );
  const isLong = dataset.fields.length >= FILTERED_FROM;
  return (
    <section className="card">
      <div className={isLong || unread.length || readers?.any ? "actions" : ""}>
        {isLong && <Filter label="filter the columns" value={filter} set={setFilter} />}
        {unread.length > 0 && (
          <button className="button" aria-pressed={isUnread} onClick={() => setUnread(!isUnread)}>
            {count(unread.length)} read by no job
          </button>
        )}
        {fields.length < dataset.fields.length && (
          <span className="muted" role="status">
            {count(fields.length)} of {count(dataset.fields.length)}
          </span>
        )}
        {readers && readers.any > 0 && (
          <span className="muted">
            {plural(readers.any, "more job")} may read any column: without a report of columns
          </span>
        )}
      </div>
      <Columns dataset={dataset} fields={fields} readers={readers} />
    </section>
  );
}

type Readers = Awaited<ReturnType<ReturnType<typeof columnReadersQuery>["queryFn"]>>;
interface ColumnsProps {
  dataset: Dataset;
  fields: Dataset["fields"];
  readers: Readers | undefined;
}

/** A table of the fields; its columns are the same for each filter. */
function Columns({ dataset, fields, readers }: ColumnsProps) {
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
          {readers && <th className="number">Read by</th>}
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
              {readers && <ReadBy jobs={readers.jobs.get(field.name)} isLeast={readers.truncated} />}
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

const ReadBy = ({ jobs, isLeast }: { jobs: number | undefined; isLeast: boolean }) => (
  <td className={jobs ? "number fixed" : "number fixed muted"}>
    {jobs === undefined ? "–" : `${isLeast ? "at least " : ""}${plural(jobs, "job")}`}
  </td>
);
