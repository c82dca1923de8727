/** Sources of a dataset's columns, as jobs reported them. */

import { Link } from "wouter";

import type { Dataset } from "../../api/queries";
import { Heads } from "../../parts/controls";
import { NodeLink, Nothing } from "../../parts/frame";
import { datasetId, fieldId } from "../../url/ids";
import { columnsLink } from "../../url/state";

type Source = NonNullable<Dataset["columnLineage"]>[number]["inputFields"][number];

export function Sources({ dataset }: { dataset: Dataset }) {
  if (!dataset.columnLineage?.length)
    return (
      <Nothing title="Nothing is reported of what its columns are made of">
        Jobs report it in the facet <code>columnLineage</code>; on Spark, <code>capture(spark)</code> does.
      </Nothing>
    );
  return (
    <section className="card">
      <table className="table">
        <Heads names={["Column", "Made of"]} />
        <tbody>
          {dataset.columnLineage.map((column) => (
            <tr key={column.name}>
              <td className="mono">
                <Link href={columnsLink({ node: fieldId(dataset, column.name) })}>{column.name}</Link>
              </td>
              <td>
                {column.inputFields.map((source, index) => (
                  <SourceLine key={index} source={source} />
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function SourceLine({ source: { namespace, dataset, field, transformations } }: { source: Source }) {
  const of = { namespace, name: dataset };
  return (
    <div>
      <NodeLink
        id={field === null ? datasetId(of) : fieldId(of, field)}
        name={`${dataset}${field === null ? "" : `.${field}`}`}
        where={null}
      />{" "}
      <span className="muted small">
        {transformations
          .map(
            ({ type, subtype, description }) => description || `${type}${subtype ? ` ${subtype}` : ""}`.toLowerCase(),
          )
          .join("; ")}
      </span>
    </div>
  );
}
