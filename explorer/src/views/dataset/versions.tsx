/** The versions of a dataset: those whose schema changed, or all of them. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";

import { type DatasetVersion, datasetVersions } from "../../api/queries";
import { OF_LOAD } from "../../features";
import { count, plural } from "../../model/format";
import { type FieldChange, fieldChanges } from "../../model/schema-change";
import { Heads } from "../../parts/controls";
import { Loaded, When } from "../../parts/frame";
import { useReader } from "../../parts/me";
import { SchemaChanges } from "../../parts/schema-change";
import { StateOf } from "../../parts/signs";
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
  const result = useQuery(datasetVersions(node, VERSIONS_MAX));
  return (
    <Loaded of={result}>
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
            <Table node={node} rows={isAll ? rows : telling} />
          </section>
        );
      }}
    </Loaded>
  );
}

function Table({ node, rows }: { node: string; rows: readonly Row[] }) {
  const { can } = useReader();
  return (
    <table className="table">
      <Heads names={["Made", "Schema against the one before", "By run", "Version", "See"]} />
      <tbody>
        {rows.map(({ version, changes }) => (
          <tr key={version.version}>
            <td className="fixed">
              <When time={version.createdAt} />
            </td>
            <td>
              {changes === null ? (
                <span className="muted">the first that is known here</span>
              ) : changes.length ? (
                <SchemaChanges changes={changes} />
              ) : (
                <span className="muted">the same</span>
              )}
            </td>
            <td>
              {version.createdByRun && (
                <>
                  <StateOf state={version.createdByRun.state} />{" "}
                  <Link href={link("run", { id: version.createdByRun.id })}>{version.createdByRun.job.name}</Link>
                </>
              )}
            </td>
            <td className="mono">
              {version.version.slice(0, 8)}{" "}
              {version.lifecycleState && <span className="chip">{version.lifecycleState}</span>}
            </td>
            <td className="fixed">
              <Link href={mapLink({ node, at: new Date(Date.parse(version.createdAt) + 1).toISOString() })}>
                map at that time
              </Link>
              {OF_LOAD.map(
                ([feature, view, title]) =>
                  can(feature) && (
                    <div key={view}>
                      <Link href={link(view, { node: `${node}#${version.version}` })}>{title.toLowerCase()}</Link>
                    </div>
                  ),
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
