/** The versions of a job, each with its code and its datasets. */

import { useQuery } from "@tanstack/react-query";

import type { ResponseOf } from "../../api/client";
import { jobVersions } from "../../api/queries";
import { plural } from "../../model/format";
import { Loaded } from "../../parts/frame";
import { type ColumnOf, LongTable, times } from "../../parts/table";
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
          <LongTable
            label="versions"
            columns={COLUMNS}
            rows={versions.map((version, place) => ({ version, before: versions[place + 1] }))}
            keyOf={({ version }) => version.version}
            height="none"
          />
        </section>
      )}
    </Loaded>
  );
}

type Version = ResponseOf<"/api/v1/namespaces/{namespace}/jobs/{job}/versions">["versions"][number];

const COLUMNS: ColumnOf<{ version: Version; before: Version | undefined }>[] = [
  times("Since", ({ version }) => version.createdAt),
  { name: "Version", look: "mono", cell: ({ version }) => version.version.slice(0, 8) },
  {
    name: "Code",
    look: "mono",
    cell: ({ version: { codeVersion }, before }) => (
      <>
        {codeVersion?.slice(0, 12) ?? "–"}
        {before && before.codeVersion !== codeVersion && <span className="changed"> ~ changed</span>}
      </>
    ),
  },
  { name: "Reads", cell: ({ version, before }) => <Ids now={version.inputs} before={before?.inputs} /> },
  { name: "Writes", cell: ({ version, before }) => <Ids now={version.outputs} before={before?.outputs} /> },
];

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
