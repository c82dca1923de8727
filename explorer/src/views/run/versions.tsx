/** Versions of datasets that a run read or made, with their rows; beside another run, with what only this one has. */

import type { Run } from "../../api/queries";
import { OF_OUTPUT } from "../../features";
import { count } from "../../model/format";
import { rowsOf } from "../../model/rows";
import { textOfSubset } from "../../model/subset";
import { NodeLink } from "../../parts/frame";
import { useReader } from "../../parts/me";
import { datasetId } from "../../url/ids";

type Uses = Run["inputDatasetVersions"] | Run["outputDatasetVersions"];

export function Versions({ title, of, others }: { title: string; of: Uses; others?: Uses | undefined }) {
  const { can } = useReader();
  const key = (use: Uses[number]) => `${datasetId(use.datasetVersionId)}#${use.datasetVersionId.version}`;
  const known = new Set(others?.map(key)),
    names = new Set(others?.map((use) => datasetId(use.datasetVersionId)));
  return (
    <section className="card">
      <h2>
        {title} <span className="muted">{of.length}</span>
      </h2>
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
              {OF_OUTPUT.map(([feature, Part]) => can(feature) && <Part key={feature} use={use} />)}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** The part that the run used, as OpenLineage's facet `subset` has it. */
const partOf = (use: Uses[number]) => textOfSubset((use.facets as Record<string, unknown>)["subset"]);
