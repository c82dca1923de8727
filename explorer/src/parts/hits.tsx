/** What a search of names finds: jobs, datasets and columns, and how a hit is written. */

import { useQuery } from "@tanstack/react-query";

import { type Hit, search } from "../api/queries";
import { cutMiddle, plural } from "../model/format";
import { type TestState, termsOf, withoutState } from "../model/terms";
import { useReader } from "./me";
import { Name } from "./name";
import { StateOf } from "./signs";

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
