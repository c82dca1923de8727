/** The search box: what is typed is found by a part of its name; arrows choose, Enter opens. */

import { useQuery } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState } from "react";
import { useLocation } from "wouter";

import { type Hit, search } from "../api/queries";
import { plural } from "../model/format";
import { type Terms, type TestState, termsOf, withoutState } from "../model/terms";
import { link } from "../url/state";
import { mapOf } from "./frame";
import { useReader } from "./me";
import { Name } from "./name";
import { SignOf, StateOf } from "./signs";

const PAUSE_MS = 120;
const KINDS = { JOB: "job", DATASET: "dataset", DATASET_FIELD: "field" } as const;

export interface Hits {
  names: { total: number; truncated: boolean };
  fields: { total: number; truncated: boolean };
  all: Hit[];
}

/** What a text, a tag or a state of tests finds: jobs and datasets, and columns. */
export function useHits(typed: string, limit: number, { tag = "", state: chosen = "" as TestState } = {}) {
  const { namespace, isKnown, can } = useReader();
  const { text: q, state: said } = withoutState(typed);
  const state = said || chosen;
  const terms = termsOf(q);
  return useQuery({
    queryKey: ["hits", q, tag, state, limit, namespace],
    queryFn: async ({ signal }): Promise<Hits> => {
      const asked = { q, tag, state, limit, namespace };
      // Of a tag, columns come beside jobs and datasets; an owner and a state have no columns.
      if (tag || state || terms.tag || terms.owner) {
        const { hits, total, truncated } = await search({ ...asked, kind: "name" }, signal);
        const fields = hits.filter(({ type }) => type === "DATASET_FIELD").length;
        return { names: { total: total - fields, truncated }, fields: { total: fields, truncated }, all: hits };
      }
      const [names, fields] = await Promise.all([
        search({ ...asked, kind: "name" }, signal),
        search({ ...asked, kind: "field" }, signal),
      ]);
      return { names, fields, all: ranked(terms.words, [...names.hits, ...fields.hits]) };
    },
    enabled: [terms.words, terms.tag, terms.owner, tag, state].some(Boolean) && isKnown && can("search"),
    placeholderData: (old) => old,
  });
}

/** Exact names and last segments of names first, then names that begin so, then words that do; columns after tables of the same rank. */
function ranked(q: string, hits: Hit[]): Hit[] {
  const text = q.toLowerCase();
  const rank = (hit: Hit) => {
    const name = (hit.field ?? hit.name).toLowerCase();
    if (name === text || name.split(/[./]/).at(-1) === text) return 0;
    if (name.startsWith(text)) return 1;
    return name.split(/[^a-z0-9]+/).some((word) => word.startsWith(text)) ? 2 : 3;
  };
  return hits
    .map((hit, place) => ({ hit, key: rank(hit) * 1e6 + place }))
    .sort((a, b) => a.key - b.key)
    .map(({ hit }) => hit);
}

const searchLink = (text: string, names: boolean) => {
  const { words, tag, owner, within, state } = termsOf(text);
  if (state) return link("search", { q: withoutState(text).text, state });
  if (tag && !words && !owner && !within) return link("search", { tag });
  return within && !words && !tag && !owner
    ? link("search", { namespace: within })
    : link("search", { q: text, kind: names ? "" : "record" });
};

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
  return "fieldType" in hit ? <span className="mono muted">{hit.fieldType}</span> : null;
}

/** The filters of what is typed, in words. */
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

interface HitOptionProps {
  hit: Hit;
  q: string;
  id: string;
  isChosen: boolean;
  choose: () => void;
  go: (toImpact: boolean) => void;
}

/** A hit in the list: a click opens it, and one on *What breaks* the impact of a column. */
function HitOption({ hit, q, id, isChosen, choose, go }: HitOptionProps) {
  return (
    <li
      id={id}
      role="option"
      aria-selected={isChosen}
      onPointerMove={choose}
      // An option holds no button: a screen reader's keys do not get there, Shift+Enter does.
      onClick={(event) => go((event.target as Element).closest("[data-impact]") !== null)}
    >
      <span className={`kind-${KINDS[hit.type]}`}>
        <SignOf of={KINDS[hit.type]} />
      </span>
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

export function Find({ large = false, start = "" }: { large?: boolean; start?: string }) {
  const [typed, setTyped] = useState(start);
  const [q, setQ] = useState("");
  const [open, setOpen] = useState(false);
  const [chosen, setChosen] = useState(0);
  const [, navigate] = useLocation();
  const list = useId();
  const box = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const { can } = useReader();
  const terms = termsOf(q);
  const filters = filtersOf(terms);
  const answer = useHits(open ? q : "", 8);
  const hits = q.trim() ? (answer.data?.all.slice(0, 12) ?? []) : [];

  useEffect(() => {
    const timer = setTimeout(() => setQ(typed.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other hits begin at the first
  useEffect(() => setChosen(0), [q]);
  useEffect(() => {
    const away = (event: PointerEvent) => box.current?.contains(event.target as Node) || setOpen(false);
    document.addEventListener("pointerdown", away);
    return () => document.removeEventListener("pointerdown", away);
  }, []);

  const records = can("searchRecords");
  // Where no name is found, the last line leads to records, and so does Enter.
  const isAmongRecords =
    records &&
    !filters &&
    typed.trim() === q &&
    answer.data !== undefined &&
    !answer.isPlaceholderData &&
    hits.length === 0;
  const go = (hit?: Hit, toImpact = false) => {
    setOpen(false);
    input.current?.blur();
    if (hit) navigate(toImpact ? link("impact", { node: hit.nodeId }) : mapOf(hit.nodeId));
    else navigate(searchLink(typed.trim(), can("search") && !isAmongRecords));
    if (hit) setTyped("");
  };
  const press = (event: React.KeyboardEvent) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      setOpen(true);
      setChosen((now) => Math.max(-1, Math.min(hits.length - 1, now + (event.key === "ArrowDown" ? 1 : -1))));
    } else if (event.key === "Enter") {
      // What is typed may be ahead of what was found.
      const hit = typed.trim() === q && open ? hits[chosen] : undefined;
      go(hit, event.shiftKey && hit?.field !== undefined);
    } else if (event.key === "Escape") {
      event.stopPropagation();
      if (open) setOpen(false);
      else input.current?.blur();
    }
  };
  const shown =
    open && q !== "" && (answer.data !== undefined || answer.error !== null || filters !== "" || !can("search"));
  const rest = filters
    ? `All that ${filters}${terms.words && ` and has “${terms.words}”`}`
    : hits.length
      ? `All results for “${q}”`
      : `Nothing has this name${records ? `. Look for “${q}” among records` : ""}`;
  return (
    <div className={`find${large ? " large" : ""}`} role="search" ref={box}>
      <SignOf of="search" />
      <input
        ref={input}
        value={typed}
        autoFocus={large}
        data-find={large ? "large" : "top"}
        autoComplete="off"
        spellCheck={false}
        placeholder="Find a table, job or column by a part of its name"
        aria-label="Find a table, job or column by a part of its name"
        role="combobox"
        aria-expanded={shown}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={shown && hits[chosen] ? `${list}-${chosen}` : undefined}
        onChange={(event) => {
          setTyped(event.target.value);
          setOpen(true);
        }}
        onFocus={() => setOpen(true)}
        onKeyDown={press}
      />
      <kbd aria-hidden="true">/</kbd>
      <ul className="hits" id={list} role="listbox" aria-label="found" hidden={!shown}>
        {hits.map((hit, index) => (
          <HitOption
            key={hit.nodeId}
            hit={hit}
            q={terms.words}
            id={`${list}-${index}`}
            isChosen={index === chosen}
            choose={() => setChosen(index)}
            go={(toImpact) => go(hit, toImpact)}
          />
        ))}
        <li role="option" aria-selected={chosen === -1} onClick={() => go()}>
          <span className="muted">
            {answer.error ? `The search did not respond: ${answer.error.message}. Try again` : rest}
          </span>
        </li>
      </ul>
    </div>
  );
}
