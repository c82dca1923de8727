/** The versions of a job, each with its code and its datasets. */

import { useQuery } from "@tanstack/react-query";

import { jobVersions } from "../../api/queries";
import { plural } from "../../model/format";
import { Heads } from "../../parts/controls";
import { Loaded, When } from "../../parts/frame";
import { datasetId } from "../../url/ids";

export function Versions({ node }: { node: string }) {
  const result = useQuery(jobVersions(node, 100));
  return (
    <Loaded of={result}>
      {({ versions, totalCount }) => (
        <section className="card">
          <p className="muted">
            {plural(totalCount, "version")}, newest first: another one begins where code, inputs or outputs change.
          </p>
          <table className="table">
            <Heads names={["Since", "Version", "Code", "Reads", "Writes"]} />
            <tbody>
              {versions.map((version, index) => {
                const before = versions[index + 1];
                return (
                  <tr key={version.version}>
                    <td className="fixed">
                      <When time={version.createdAt} />
                    </td>
                    <td className="mono">{version.version.slice(0, 8)}</td>
                    <td className="mono">
                      {version.codeVersion?.slice(0, 12) ?? "–"}
                      {before && before.codeVersion !== version.codeVersion && (
                        <span className="changed"> ~ changed</span>
                      )}
                    </td>
                    <td>
                      <Ids now={version.inputs} before={before?.inputs} />
                    </td>
                    <td>
                      <Ids now={version.outputs} before={before?.outputs} />
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </section>
      )}
    </Loaded>
  );
}

interface Named {
  namespace: string;
  name: string;
}

function Ids({ now, before }: { now: readonly Named[]; before?: readonly Named[] | undefined }) {
  const was = new Set(before?.map(datasetId)),
    is = new Set(now.map(datasetId));
  return (
    <ul className="plain">
      {now.map((id) => (
        <li key={datasetId(id)} className={before && !was.has(datasetId(id)) ? "added" : ""}>
          {before && !was.has(datasetId(id)) && "+ "}
          {id.name}
        </li>
      ))}
      {before
        ?.filter((id) => !is.has(datasetId(id)))
        .map((id) => (
          <li key={datasetId(id)} className="removed">
            − {id.name}
          </li>
        ))}
    </ul>
  );
}
