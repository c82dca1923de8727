/** What a column is made of: a source with the steps on the way. */

import type { Source } from "../../model/columns";
import { titleOf } from "../../model/titles";
import { SignOf } from "../../parts/signs";

export const Masked = () => (
  <span className="state is-masked">
    <SignOf of="lock" />
    masked
  </span>
);

export function Steps({ steps }: { steps: Source["steps"] }) {
  if (!steps.length) return null;
  return (
    <div className="small muted">
      {steps.map((step, index) => (
        <div key={index}>
          {step.direct ? "" : "indirect: "}
          {step.kind.toLowerCase()}
          {step.description && (
            <>
              {" "}
              · <span className="mono">{step.description}</span>
            </>
          )}
        </div>
      ))}
    </div>
  );
}

export function Sources({ sources, choose }: { sources: readonly Source[]; choose: (id: string) => void }) {
  return (
    <ul className="plain">
      {sources.map(({ id, namespace, datasetName: name, field, steps }, index) => (
        <li key={index}>
          <button className="chip" onClick={() => choose(id)}>
            {titleOf({ namespace, name })}
            {field === null ? "" : `.${field}`}
          </button>{" "}
          {steps.some(({ masked }) => masked) && <Masked />}
          <Steps steps={steps} />
        </li>
      ))}
    </ul>
  );
}
