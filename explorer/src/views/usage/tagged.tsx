/** The columns that have a tag, with who tagged them. */

import { Link } from "wouter";

import type { TagUsage } from "../../api/report-queries";
import { plural } from "../../model/format";
import { Heads } from "../../parts/controls";
import { fieldId } from "../../url/ids";
import { link } from "../../url/state";
import { ColumnLink } from "./column";

export function Tagged({ report }: { report: TagUsage }) {
  return (
    <section className="card">
      <h2>
        Tagged <span className="muted">{plural(report.columns.length, "column")}</span>
      </h2>
      {report.columns.length === 0 && <p className="muted">No column has it now.</p>}
      {report.columns.length > 0 && (
        <div className="scroll" tabIndex={0} role="region" aria-label="tagged columns">
          <table className="table">
            <Heads names={["Column", "Tagged by", "See"]} />
            <tbody>
              {report.columns.map(({ column, reportedBy }, index) => (
                <tr key={index}>
                  <td>
                    <ColumnLink column={column} />
                  </td>
                  <td className="small">
                    {[
                      ...new Set(
                        reportedBy.map(({ producer, caller, source }) => caller ?? source ?? producer ?? "unknown"),
                      ),
                    ].join(", ")}
                  </td>
                  <td className="fixed">
                    {column.field !== null && (
                      <Link href={link("usage", { node: fieldId(column.dataset, column.field) })}>usage</Link>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
