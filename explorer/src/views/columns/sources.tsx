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

function SourceOf({ source, choose }: { source: Source; choose: (id: string) => void }) {
  return (
    <>
      <button className="chip" onClick={() => choose(source.id)}>
        {titleOf({ namespace: source.namespace, name: source.datasetName })}
        {source.field === null ? "" : `.${source.field}`}
      </button>{" "}
      {source.steps.some(({ masked }) => masked) && <Masked />}
      <Steps steps={source.steps} />
    </>
  );
}

export function Sources({ sources, choose }: { sources: readonly Source[]; choose: (id: string) => void }) {
  return (
    <ul className="plain">
      {sources.map((source, index) => (
        <li key={index}>
          <SourceOf source={source} choose={choose} />
        </li>
      ))}
    </ul>
  );
}
