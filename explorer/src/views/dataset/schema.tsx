/** The schema of a dataset: its columns, with ways to what is made of each. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";

import type { Dataset } from "../../api/queries";
import { columnReadersQuery } from "../../api/report-queries";
import { count, plural } from "../../model/format";
import { Button, Filter } from "../../parts/controls";
import { Edit } from "../../parts/edit";
import { EmptyState } from "../../parts/frame";
import { useReader } from "../../parts/me";
import { type ColumnOf, LongTable } from "../../parts/table";
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
      <EmptyState title="No schema was reported">
        A job reports it in the facet <code>schema</code> of its inputs and outputs.
      </EmptyState>
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
          <Button on={isUnread} press={() => setUnread(!isUnread)}>
            {count(unread.length)} read by no job
          </Button>
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
      <LongTable
        label="schema"
        columns={columnsOf(dataset, readers)}
        rows={fields}
        keyOf={({ name }) => name}
        height={fields.length > FILTERED_FROM ? undefined : "none"}
      />
    </section>
  );
}

type Readers = Awaited<ReturnType<ReturnType<typeof columnReadersQuery>["queryFn"]>>;
type Field = Dataset["fields"][number];

/** Return the columns of the table: the same for each filter. */
function columnsOf(dataset: Dataset, readers: Readers | undefined): ColumnOf<Field>[] {
  const idOf = ({ name }: Field) => fieldId(dataset, name);
  const columns: (ColumnOf<Field> | false | undefined)[] = [
    {
      name: "Column",
      look: "mono",
      by: ({ name }) => name,
      cell: (field) => <Link href={columnsLink({ node: idOf(field) })}>{field.name}</Link>,
    },
    { name: "Type", look: "mono muted", by: ({ type }) => type ?? "" },
    dataset.fields.some(({ description }) => description) && {
      name: "Description",
      cell: ({ description }) => description ?? "",
    },
    dataset.fields.some(({ tags }) => tags.length) && { name: "Tags", cell: ({ tags }) => <Tags names={tags} /> },
    readers && {
      name: "Read by",
      number: true,
      by: ({ name }) => readers.jobs.get(name) ?? -1,
      cell: ({ name }) => {
        const jobs = readers.jobs.get(name);
        const text = jobs === undefined ? "–" : `${readers.truncated ? "at least " : ""}${plural(jobs, "job")}`;
        return <span className={jobs ? "" : "muted"}>{text}</span>;
      },
    },
    {
      name: "See",
      look: "fixed",
      cell: (field) => (
        <>
          <Link href={link("impact", { node: idOf(field) })}>what breaks</Link> ·{" "}
          <Link href={link("usage", { node: idOf(field) })}>usage</Link>{" "}
          <Edit id={idOf(field)} namespace={dataset.namespace} />
        </>
      ),
    },
  ];
  return columns.filter((column) => !!column);
}
