/** The versions of a job, each with its code and its datasets, and the code as its facets have it. */

import type { ResponseOf } from "../../api/client";
import { jobVersions } from "../../api/queries";
import { memberOf } from "../../model/facets";
import { plural } from "../../model/format";
import { Asked, EmptyState } from "../../parts/frame";
import { type ColumnOf, LongTable, times } from "../../parts/table";
import { datasetId } from "../../url/ids";

export const Versions = ({ node }: { node: string }) => (
  <Asked query={jobVersions(node, 100)}>
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
  </Asked>
);

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
  { name: "Reads", cell: ({ version, before }) => <Changed now={version.inputs} before={before?.inputs} /> },
  { name: "Writes", cell: ({ version, before }) => <Changed now={version.outputs} before={before?.outputs} /> },
];

type Ids = Version["inputs"] | Version["outputs"];

function Changed({ now, before = now }: { now: Ids; before?: Ids | undefined }) {
  const [was, is] = [before, now].map((ids) => new Set(ids.map(datasetId)));
  return (
    <ul className="plain">
      {[...now, ...before.filter((id) => !is!.has(datasetId(id)))].map((id) => {
        const change = !was!.has(datasetId(id)) ? "added" : is!.has(datasetId(id)) ? "" : "removed";
        return (
          <li key={datasetId(id)} className={change}>
            {{ added: "+ ", removed: "− ", "": "" }[change]}
            {id.name}
          </li>
        );
      })}
    </ul>
  );
}

const CODE: readonly [string, string][] = [
  ["sql", "query"],
  ["sourceCode", "sourceCode"],
  ["sourceCodeLocation", "url"],
];

export function Code({ facets }: { facets: Record<string, unknown> }) {
  const parts = CODE.flatMap(([name, key]) => {
    const text = memberOf(facets[name], key);
    return text === null ? [] : [{ name, text }];
  });
  if (!parts.length)
    return (
      <EmptyState title="No code was sent">
        Jobs send it in the facets <code>sql</code>, <code>sourceCode</code> and <code>sourceCodeLocation</code>.
      </EmptyState>
    );
  return (
    <>
      {parts.map(({ name, text }) => (
        <section key={name} className="card">
          <h2 className="mono">{name}</h2>
          {name === "sourceCodeLocation" ? <SafeLink url={text} /> : <pre>{text}</pre>}
        </section>
      ))}
    </>
  );
}

export function SafeLink({ url }: { url: string }) {
  return /^https?:\/\//i.test(url) ? (
    <a href={url} rel="noopener noreferrer" target="_blank">
      {url}
    </a>
  ) : (
    <span className="mono">{url}</span>
  );
}
