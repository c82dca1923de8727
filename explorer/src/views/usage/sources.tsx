/** True sources of a column: where the paths to it begin. */

import type { Provenance } from "../../api/report-queries";
import { plural } from "../../model/format";
import { Heads } from "../../parts/controls";
import { ColumnLink, How } from "./column";

const REASONS = {
  raw: "raw: no run wrote its dataset",
  generated: "generated: made of nothing",
  unreported: "not reported of which columns",
  before: "made before this time",
  elsewhere: "in a namespace that is not yours to see",
} as const;

export function Sources({ report }: { report: Provenance }) {
  return (
    <section className="card">
      <h2>
        True sources <span className="muted">{plural(report.sources.length, "column")}</span>
      </h2>
      {report.sources.length === 0 && <p className="muted">None is known.</p>}
      {report.sources.length > 0 && (
        <table className="table">
          <Heads names={["Hops", "Column", "How", "The path ends here because it is"]} numbers={["Hops"]} />
          <tbody>
            {report.sources.map((source, index) => (
              <tr key={index}>
                <td className="number">{source.hops}</td>
                <td>
                  <ColumnLink column={source.column} />
                </td>
                <td>
                  <How of={source} />
                </td>
                <td>{REASONS[source.reason]}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
