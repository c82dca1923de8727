/** The code of a job, as its facets have it. */

import { memberOf } from "../../model/facets";
import { EmptyState } from "../../parts/frame";

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
