/** A hit in the list of the search box. */

import type { Hit } from "../api/queries";
import { HitState, Marked } from "./hits";
import { KindOf } from "./signs";

const KINDS = { JOB: "job", DATASET: "dataset", DATASET_FIELD: "field" } as const;

interface HitOptionProps {
  hit: Hit;
  q: string;
  id: string;
  isChosen: boolean;
  choose: () => void;
  go: (toImpact: boolean) => void;
}

/** A hit in the list: a click opens it, and one on *What breaks* the impact of a column. */
export function HitOption({ hit, q, id, isChosen, choose, go }: HitOptionProps) {
  return (
    <li
      id={id}
      role="option"
      aria-selected={isChosen}
      onPointerMove={choose}
      // An option holds no button: a screen reader's keys do not get there, Shift+Enter does.
      onClick={(event) => go((event.target as Element).closest("[data-impact]") !== null)}
    >
      <KindOf of={KINDS[hit.type]} namespace={hit.namespace} />
      <span className="what">
        <b>
          <Marked text={hit.field ?? hit.name} q={q} />
        </b>
        <br />
        <span className="where">
          {hit.field === undefined ? hit.namespace : `column of ${hit.name} · ${hit.namespace}`}
        </span>
      </span>
      <span className="small">
        <HitState hit={hit} />
      </span>
      {hit.field !== undefined && (
        <span className="chip" data-impact title="Shift+Enter">
          What breaks
        </span>
      )}
    </li>
  );
}
