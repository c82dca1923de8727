/** The search box: what is typed is found by a part of its name; arrows choose, Enter opens. */

import "./find.css";

import { useQuery } from "@tanstack/react-query";
import { type ComponentProps, useEffect, useId, useRef, useState } from "react";
import { useLocation } from "wouter";
import { type Hit, search } from "../api/queries";
import { cutMiddle, plural } from "../model/format";
import { type Terms, type TestState, termsOf, withoutState } from "../model/terms";
import { link } from "../url/state";
import { mapOf } from "./frame";
import { useListener } from "./keys";
import { useReader } from "./reader";
import { KindOf, Name, SignOf, StateOf } from "./signs";

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

const PAUSE_MS = 120;
const HITS_MAX = 12;

type Finding = ReturnType<typeof useFind>;

/** `isOpen` while the list is open, though it may have nothing to show; `words` are those typed, without filters. */
function useFind() {
  const [typed, setTyped] = useState("");
  const [isOpen, setOpen] = useState(false);
  const q = useSettled(typed);
  const terms = termsOf(q);
  const filters = filtersOf(terms);
  // The place of the chosen hit; -1 is the last line, a link to the search: filters alone are a list.
  const [chosen, choose] = useChosen(q, filters && !terms.words ? -1 : 0);
  const answer = useHits(isOpen ? q : "", 8);
  const hits = q ? (answer.data?.all.slice(0, HITS_MAX) ?? []) : [];
  const [, navigate] = useLocation();
  const { can } = useReader();
  const isSettled = typed.trim() === q && answer.data !== undefined && !answer.isPlaceholderData;
  // Where no name is found, the last line leads to records, and so does Enter.
  const isAmongRecords = can("searchRecords") && !filters && isSettled && hits.length === 0;
  // Open a hit, or its impact; without a hit, the search.
  const go = (hit?: Hit, toImpact = false) => {
    setOpen(false);
    if (hit) navigate(toImpact ? link("impact", { node: hit.nodeId }) : mapOf(hit.nodeId));
    else navigate(searchLink(typed.trim(), can("search") && !isAmongRecords));
    if (hit) setTyped("");
  };
  const type = (text: string) => {
    setTyped(text);
    setOpen(true);
  };
  const hasAnswer = answer.data !== undefined || answer.error !== null || filters !== "" || !can("search");
  const rest = answer.error
    ? `The search did not respond: ${answer.error.message}. Try again`
    : restOf(q, terms, hits.length > 0, can("searchRecords"));
  const move = (by: 1 | -1) => choose((now) => Math.max(-1, Math.min(hits.length - 1, now + by)));
  // The chosen hit; undefined while the hits belong to an earlier text.
  const current = () => (typed.trim() === q && isOpen ? hits[chosen] : undefined);
  const isShown = isOpen && q !== "" && hasAnswer;
  return { typed, type, isOpen, setOpen, isShown, words: terms.words, hits, chosen, choose, move, rest, go, current };
}

/** Return a text once its reader pauses. */
export function useSettled(typed: string): string {
  const [q, setQ] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setQ(typed.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return q;
}

/** The place of the chosen hit: each text starts from the first place. */
function useChosen(q: string, first: number) {
  const [chosen, choose] = useState(first);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new text has new hits
  useEffect(() => choose(first), [q, first]);
  return [chosen, choose] as const;
}

/** Return the text of the last line: a link to all hits, or a sentence without any. */
function restOf(q: string, terms: Terms, hasHits: boolean, hasRecords: boolean): string {
  const filters = filtersOf(terms);
  if (filters) return `All that ${filters}${terms.words && ` and has “${terms.words}”`}`;
  if (hasHits) return `All results for “${q}”`;
  return `Nothing has this name${hasRecords ? `. Look for “${q}” among records` : ""}`;
}

/** The filters of the typed text, in words. */
function filtersOf({ tag, owner, within, state }: Terms): string {
  return [
    tag && `is tagged “${tag}”`,
    owner && `is owned by “${owner}”`,
    within && `is in “${within}”`,
    state && (state === "failing" ? "fails a test" : "has a test that warns"),
  ]
    .filter(Boolean)
    .join(" and ");
}

const searchLink = (text: string, names: boolean) => {
  const { words, tag, owner, within, state } = termsOf(text);
  if (state) return link("search", { q: withoutState(text).text, state });
  if (tag && !words && !owner && !within) return link("search", { tag });
  return within && !words && !tag && !owner
    ? link("search", { namespace: within })
    : link("search", { q: text, kind: names ? "" : "record" });
};

// Characters of a type: a structure's is as long as its fields.
const TYPE_MAX = 24;

/** What a text, a tag or a state of tests finds: jobs and datasets, and columns. */
export function useHits(typed: string, limit: number, { tag = "", state: chosen = "" as TestState } = {}) {
  const { namespace, isKnown, can } = useReader();
  const { text: q, state: said } = withoutState(typed);
  const state = said || chosen;
  const terms = termsOf(q);
  return useQuery({
    queryKey: ["hits", q, tag, state, limit, namespace],
    queryFn: async ({ signal }) => {
      const asked = { q, tag, state, limit, namespace };
      // Of a tag, columns come beside jobs and datasets; an owner and a state have no columns.
      if (tag || state || terms.tag || terms.owner) {
        const { hits, total, truncated } = await search("name", asked, signal);
        const fields = hits.filter(({ type }) => type === "DATASET_FIELD").length;
        return { names: { total: total - fields, truncated }, fields: { total: fields, truncated }, all: hits };
      }
      const both = [search("name", asked, signal), search("field", asked, signal)] as const;
      const [names, fields] = await Promise.all(both);
      return { names, fields, all: ranked(terms.words, [...names.hits, ...fields.hits]) };
    },
    enabled: [terms.words, terms.tag, terms.owner, tag, state].some(Boolean) && isKnown && can("search"),
    placeholderData: (old) => old,
  });
}

export const KIND_OF_HIT = { DATASET: "dataset", JOB: "job", DATASET_FIELD: "field" } as const;
const KINDS = Object.keys(KIND_OF_HIT);

/** Exact names and last segments first, then beginnings of names, then of words; of a rank datasets, jobs, columns. */
function ranked(q: string, hits: Hit[]): Hit[] {
  const text = q.toLowerCase();
  const rank = (hit: Hit) => {
    const name = (hit.field ?? hit.name).toLowerCase();
    if (name === text || name.split(/[./]/).at(-1) === text) return 0;
    if (name.startsWith(text)) return 1;
    return name.split(/[^a-z0-9]+/).some((word) => word.startsWith(text)) ? 2 : 3;
  };
  return hits
    .map((hit, place) => ({ hit, key: (rank(hit) * KINDS.length + KINDS.indexOf(hit.type)) * 1e6 + place }))
    .sort((a, b) => a.key - b.key)
    .map(({ hit }) => hit);
}

export function Marked({ text, q }: { text: string; q: string }) {
  const at = q ? text.toLowerCase().indexOf(q.toLowerCase()) : -1;
  if (at < 0) return <Name text={text} />;
  return (
    <>
      <Name text={text.slice(0, at)} />
      <mark>{text.slice(at, at + q.length)}</mark>
      <Name text={text.slice(at + q.length)} />
    </>
  );
}

/** A job's last state, the number of a dataset's columns, a column's type. */
export function HitState({ hit }: { hit: Hit }) {
  if ("latestRun" in hit) return <StateOf state={hit.latestRun?.state ?? null} />;
  if ("fieldCount" in hit) return <span className="muted">{plural(hit.fieldCount, "column")}</span>;
  if (!("fieldType" in hit) || !hit.fieldType) return null;
  return (
    <span className="mono muted type-of" title={hit.fieldType}>
      {cutMiddle(hit.fieldType, TYPE_MAX)}
    </span>
  );
}
