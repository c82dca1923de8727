/** An error: what happened and the last cause; the whole text folded. */

import { type FieldChange, writeChange } from "../model/compare";
import { shortError } from "../model/error-text";
import { errorOf } from "../model/facets";

/** The error of a run, by its facets; nothing without an error. */
export function RunError({ facets }: { facets: Record<string, unknown> }) {
  const error = errorOf(facets);
  return error === null ? null : (
    <>
      <h2 className="removed">✕ Error</h2>
      <ErrorText text={error} />
    </>
  );
}

export function ErrorText({ text }: { text: string }) {
  const short = shortError(text);
  return (
    <>
      <pre>{short}</pre>
      {short !== text.trimEnd() && (
        <details>
          <summary className="small muted">The whole error</summary>
          <pre>{text}</pre>
        </details>
      )}
    </>
  );
}

export const SchemaChanges = ({ changes }: { changes: readonly FieldChange[] }) => (
  <span className="mono">
    {changes.map((change) => (
      <span key={change.name} className={change.change}>
        {writeChange(change)}{" "}
      </span>
    ))}
  </span>
);
