/** The search box: the typed text, its hits, the chosen hit, and the view behind Enter. */

import { useEffect, useState } from "react";
import { useLocation } from "wouter";

import type { Hit } from "../api/queries";
import { type Terms, termsOf, withoutState } from "../model/terms";
import { link } from "../url/state";
import { mapOf } from "./frame";
import { useHits } from "./hits";
import { useReader } from "./me";

const PAUSE_MS = 120;
const HITS_MAX = 12;

export type Finding = ReturnType<typeof useFind>;

/** `isOpen` while the list is open, though it may have nothing to show; `words` are those typed, without filters. */
export function useFind() {
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
