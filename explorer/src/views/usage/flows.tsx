/** Columns that a column or a tag flowed into. */

import type { Usage } from "../../api/report-queries";
import { plural } from "../../model/format";
import { Heads } from "../../parts/controls";
import { ColumnLink, How } from "./column";

const STATUS = { alive: "alive", dropped: "dropped", unknown: "unknown" } as const;

export function FlowTable({ title, flows }: { title: string; flows: Usage["flows"] }) {
  return (
    <section className="card">
      <h2>
        {title} <span className="muted">{plural(flows.length, "column")}</span>
      </h2>
      {flows.length === 0 && <p className="muted">Nothing was made of it in this time.</p>}
      {flows.length > 0 && (
        <div className="scroll" tabIndex={0} role="region" aria-label={title}>
          <table className="table">
            <Heads names={["Hops", "Column", "How", "Now", "By"]} numbers={["Hops"]} />
            <tbody>
              {flows.map((flow, index) => (
                <tr key={index}>
                  <td className="number">{flow.hops}</td>
                  <td>
                    <ColumnLink column={flow.column} />
                  </td>
                  <td className="fixed">
                    <How of={flow} />
                    {!flow.certain && <span className="muted"> · possibly</span>}
                    {flow.failed && <span className="removed"> ✕ by failed runs</span>}
                  </td>
                  <td className="fixed">
                    {flow.status === "dropped" ? <span className="removed">✕ dropped</span> : STATUS[flow.status]}
                  </td>
                  <td className="small">{flow.jobs.map(({ name }) => name).join(", ")}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
