/** The versions of a dataset: those whose schema changed, or all of them. */

import { Link } from "wouter";

import { type DatasetVersion, datasetVersions } from "../../api/queries";
import { OF_LOAD } from "../../features";
import { type FieldChange, fieldChanges } from "../../model/compare";
import { count, justAfter, plural } from "../../model/format";
import { SchemaChanges } from "../../parts/error-text";
import { Asked } from "../../parts/frame";
import { type Reader, useReader } from "../../parts/me";
import { StateOf } from "../../parts/signs";
import { type ColumnOf, LongTable, times } from "../../parts/table";
import { link, mapLink } from "../../url/state";

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
              columns={columnsOf(node, can)}
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

const columnsOf = (node: string, can: Reader["can"]): ColumnOf<Row>[] => [
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
