/** What the reader pinned and saw last, as this browser keeps it. */

import type { ReactNode } from "react";

import type { Kept } from "../../model/mine";
import { Chip } from "../../parts/controls";
import { NodeLink } from "../../parts/frame";
import { mine, useMine } from "../../parts/mine";
import { SignOf } from "../../parts/signs";

const SHOWN = 6;

export function MineCard() {
  const { pinned, seen, owner } = useMine();
  const others = seen.filter(({ id }) => !pinned.some((kept) => kept.id === id));
  return (
    <section className="card" aria-label="mine">
      <h2>Mine</h2>
      {pinned.length === 0 && (
        <p className="muted">
          Press <b>Pin</b> beside the name of a dataset, a job or a column.
        </p>
      )}
      <ul className="plain">
        {pinned.map((kept) => (
          <Line key={kept.id} kept={kept}>
            <button
              className="icon"
              aria-label={`unpin ${kept.name}`}
              title="Take it from here"
              onClick={() => mine.togglePin(kept)}
            >
              <SignOf of="close" />
            </button>
          </Line>
        ))}
      </ul>
      {others.length > 0 && (
        <>
          <h3>Last seen</h3>
          <Lines list={others.slice(0, SHOWN)} />
          {others.length > SHOWN && (
            <details>
              <summary className="muted">{others.length - SHOWN} more</summary>
              <Lines list={others.slice(SHOWN)} />
            </details>
          )}
        </>
      )}
      <div className="actions small">
        <label>
          <input type="checkbox" checked={mine.remembers} onChange={(event) => mine.remember(event.target.checked)} />{" "}
          Keep what I look at, in this browser
        </label>
        {(pinned.length > 0 || seen.length > 0 || owner) && <Chip press={mine.forget}>Forget all</Chip>}
      </div>
    </section>
  );
}

const Lines = ({ list }: { list: readonly Kept[] }) => (
  <ul className="plain">
    {list.map((kept) => (
      <Line key={kept.id} kept={kept} />
    ))}
  </ul>
);

const Line = ({ kept, children }: { kept: Kept; children?: ReactNode }) => (
  <li className="spread">
    <NodeLink id={kept.id} name={kept.name} where={kept.namespace} />
    {children}
  </li>
);
