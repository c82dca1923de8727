/** Versions of datasets that a run read or made, with their rows; beside another run, with what only this one has. */

import type { Run } from "../../api/queries";
import { count } from "../../model/format";
import { rowsOf } from "../../model/rows";
import { textOfSubset } from "../../model/subset";
import { Counted } from "../../parts/controls";
import { NodeLink } from "../../parts/frame";
import { datasetId } from "../../url/ids";

type Uses = Run["inputDatasetVersions"] | Run["outputDatasetVersions"];

export function Versions({ title, of, others }: { title: string; of: Uses; others?: Uses | undefined }) {
  const key = (use: Uses[number]) => `${datasetId(use.datasetVersionId)}#${use.datasetVersionId.version}`;
  const known = new Set(others?.map(key)),
    names = new Set(others?.map((use) => datasetId(use.datasetVersionId)));
  return (
    <section className="card">
      <Counted title={title} of={of.length} />
      {of.length === 0 && <p className="muted">nothing was reported</p>}
      <ul className="plain">
        {of.map((use) => {
          const id = datasetId(use.datasetVersionId);
          return (
            <li key={key(use)}>
              <NodeLink id={id} name={use.datasetVersionId.name} where={use.datasetVersionId.namespace} />{" "}
              <span className="mono muted">#{use.datasetVersionId.version.slice(0, 8)}</span>
              {others && !names.has(id) && <span className="added"> + only here</span>}
              {others && names.has(id) && !known.has(key(use)) && <span className="changed"> ~ another version</span>}
              {rowsOf(use) !== null && <span className="muted"> · {count(rowsOf(use) ?? 0)} rows</span>}
              {partOf(use) !== null && <span className="muted"> · {partOf(use)}</span>}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** The part that the run used, as OpenLineage's facet `subset` has it. */
const partOf = (use: Uses[number]) => textOfSubset((use.facets as Record<string, unknown>)["subset"]);
