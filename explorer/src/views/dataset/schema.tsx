/** The schema of a dataset, with ways to what is made of each column, and its versions. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { columnReadersQuery } from "../../api/list-queries";
import { type Dataset, type DatasetVersion, datasetVersions } from "../../api/queries";
import { OF_LOAD } from "../../features";
import { type FieldChange, fieldChanges } from "../../model/compare";
import { count, justAfter, plural } from "../../model/format";
import { Button, Filter } from "../../parts/controls";
import { Edit } from "../../parts/edit";
import { SchemaChanges, Tags } from "../../parts/facts";
import { Asked, EmptyState } from "../../parts/frame";
import { type Reader, useReader } from "../../parts/reader";
import { StateOf } from "../../parts/signs";
import { type ColumnOf, LongTable, times } from "../../parts/table";
import { datasetId, fieldId } from "../../url/ids";
import { columnsLink, link, mapLink } from "../../url/state";

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

const VERSIONS_MAX = 100;

interface Row {
  version: DatasetVersion;
  /** Null of the oldest one that is here. */
  changes: readonly FieldChange[] | null;
}

const rowsOf = (versions: readonly DatasetVersion[]): Row[] =>
  versions.map((version, index) => {
    const before = versions[index + 1];
    return { version, changes: before ? fieldChanges(before.fields, version.fields) : null };
  });

/** True of a version that says more than "written again". */
const tells = ({ version, changes }: Row) =>
  changes === null || changes.length > 0 || version.failed || version.lifecycleState !== null;

export function Versions({ node, isAll }: { node: string; isAll: boolean }) {
  const { can } = useReader();
  return (
    <Asked query={datasetVersions(node, VERSIONS_MAX)}>
      {({ versions, totalCount }) => {
        const rows = rowsOf(versions);
        const telling = rows.filter(tells);
        return (
          <section className="card">
            <div className="actions">
              <div className="group" role="group" aria-label="versions">
                {[false, true].map((all) => (
                  <Link
                    key={String(all)}
                    className="button"
                    aria-current={isAll === all ? "true" : undefined}
                    href={link("dataset", { node, tab: "versions", all })}
                    replace
                  >
                    {all ? `All ${count(versions.length)}` : `Changes ${count(telling.length)}`}
                  </Link>
                ))}
              </div>
              <span className="muted" role="status">
                {plural(totalCount, "version")}, newest first
                {totalCount > versions.length && `; ${count(versions.length)} are here`}
              </span>
            </div>
            <LongTable
              label="versions"
              columns={versionColumns(node, can)}
              rows={isAll ? rows : telling}
              keyOf={({ version }) => version.version}
              height="none"
            />
          </section>
        );
      }}
    </Asked>
  );
}

const versionColumns = (node: string, can: Reader["can"]): ColumnOf<Row>[] => [
  times("Made", ({ version }) => version.createdAt),
  {
    name: "Schema against the one before",
    cell: ({ changes }) =>
      changes?.length ? (
        <SchemaChanges changes={changes} />
      ) : (
        <span className="muted">{changes ? "the same" : "the first that is known here"}</span>
      ),
  },
  {
    name: "By run",
    cell: ({ version: { createdByRun: run } }) =>
      run && (
        <>
          <StateOf state={run.state} /> <Link href={link("run", { id: run.id })}>{run.job.name}</Link>
        </>
      ),
  },
  {
    name: "Version",
    look: "mono",
    cell: ({ version: { version, lifecycleState } }) => (
      <>
        {version.slice(0, 8)} {lifecycleState && <span className="chip">{lifecycleState}</span>}
      </>
    ),
  },
  {
    name: "See",
    look: "fixed",
    cell: ({ version: { createdAt } }) => (
      <Link href={mapLink({ node, at: justAfter(createdAt) })}>map at that time</Link>
    ),
  },
  ...OF_LOAD.filter(([feature]) => can(feature)).map(([, view, title]) => ({
    name: title,
    cell: ({ version: { version } }: Row) => <Link href={link(view, { node: `${node}#${version}` })}>list</Link>,
  })),
];
