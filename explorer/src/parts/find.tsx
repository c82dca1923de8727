/** The search box: what is typed is found by a part of its name; arrows choose, Enter opens. */

import "./find.css";

import { type ComponentProps, useId, useRef } from "react";
import type { Hit } from "../api/queries";
import { HitState, KIND_OF_HIT, Marked } from "./hits";
import { useListener } from "./keys";
import { KindOf, SignOf } from "./signs";
import { type Finding, useFind } from "./use-find";

const WORDS = "Find a table, job or column by a part of its name";

export function Find({ large = false }: { large?: boolean }) {
  const finding = useFind();
  const { typed, isShown, hits, chosen } = finding;
  const list = useId();
  const box = useRef<HTMLDivElement>(null);
  useListener("pointerdown", ({ target }) => box.current?.contains(target as Node) || finding.setOpen(false));
  const leave = () => document.getElementById("view")?.focus({ preventScroll: true });
  const go = (hit?: Hit, toImpact?: boolean) => {
    leave();
    finding.go(hit, toImpact);
  };
  return (
    <div className={`find${large ? " large" : ""}`} role="search" ref={box}>
      <SignOf of="search" />
      <input
        value={typed}
        autoFocus={large}
        data-find={large ? "large" : "top"}
        autoComplete="off"
        spellCheck={false}
        placeholder={WORDS}
        aria-label={WORDS}
        role="combobox"
        aria-expanded={isShown}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={isShown && hits[chosen] ? `${list}-${chosen}` : undefined}
        onChange={(event) => finding.type(event.target.value)}
        onFocus={() => finding.setOpen(true)}
        onKeyDown={(event) => press(event, finding, go, leave)}
      />
      <kbd aria-hidden="true">/</kbd>
      <Hits id={list} finding={finding} go={go} />
    </div>
  );
}

type Go = (hit?: Hit, toImpact?: boolean) => void;

function press(event: React.KeyboardEvent, finding: Finding, go: Go, leave: () => void): void {
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    finding.setOpen(true);
    finding.move(event.key === "ArrowDown" ? 1 : -1);
  } else if (event.key === "Enter") {
    const hit = finding.current();
    go(hit, event.shiftKey && hit?.field !== undefined);
  } else if (event.key === "Escape") {
    event.stopPropagation();
    if (finding.isOpen) finding.setOpen(false);
    else leave();
  }
}

function Hits({ id, finding, go }: { id: string; finding: Finding; go: Go }) {
  const { isShown, hits, words, chosen, choose, rest } = finding;
  return (
    <ul className="hits" id={id} role="listbox" aria-label="found" hidden={!isShown}>
      {hits.map((hit, index) => (
        <HitOption
          key={hit.nodeId}
          hit={hit}
          q={words}
          go={go}
          id={`${id}-${index}`}
          aria-selected={index === chosen}
          onPointerMove={() => choose(index)}
        />
      ))}
      <li role="option" aria-selected={chosen === -1} onClick={() => go()}>
        <span className="muted">{rest}</span>
      </li>
    </ul>
  );
}

/** A hit in the list: a click opens it, and one on *What breaks* the impact of a column. */
function HitOption({ hit, q, go, ...rest }: ComponentProps<"li"> & { hit: Hit; q: string; go: Go }) {
  return (
    <li
      role="option"
      // An option holds no button: a screen reader's keys do not get there, Shift+Enter does.
      onClick={(event) => go(hit, (event.target as Element).closest("[data-impact]") !== null)}
      {...rest}
    >
      <KindOf of={KIND_OF_HIT[hit.type]} namespace={hit.namespace} />
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
