/** An error: what happened and the last cause; the whole text folded. */

import { shortError } from "../model/error-text";

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
