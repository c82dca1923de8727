/** What was found: jobs, datasets and columns by a part of their name, records by node or place, a namespace's own. */

import { Link, useLocation } from "wouter";

import { type TestState, termsOf, toTestState, withoutState } from "../../model/terms";
import { Choices, MainLink, Tabs, type TabTitles } from "../../parts/controls";
import { EmptyState, useAddress, useTitle } from "../../parts/frame";
import { useReader } from "../../parts/me";
import { TagHead } from "../../parts/tags";
import { link } from "../../url/state";
import { Browse, Names } from "./names";
import { Records, RecordsStart, Roots } from "./records";

const STATE_TITLES = { failing: "A test fails", warning: "A test warns" } as const;
const STATES = [["", "All"], ...Object.entries(STATE_TITLES)] as const;
const KINDS: TabTitles = [
  ["", "Jobs, datasets, columns"],
  ["record", "Records"],
];

export function SearchView() {
  const { q, kind, namespace, tag, ...given } = useAddress("q", "kind", "namespace", "tag", "state");
  const state = withoutState(q).state || toTestState(given.state);
  const { can } = useReader();
  const isOfRecords = kind === "record" && !q;
  const title = isOfRecords ? "Records" : q ? `“${q}”` : namespace || (state && STATE_TITLES[state]);
  useTitle(q ? `Search: ${q}` : tag ? `Tag: ${tag}` : title);
  if (isOfRecords) return <RecordsStart />;
  if (!q && !namespace && !tag && !state)
    return <EmptyState title="What are you looking for?">Type a part of a name above.</EmptyState>;
  return (
    <div className="page">
      {tag ? (
        <>
          <TagHead tag={tag} />
          <div className="actions">
            <MainLink to={link("usage", { tag })}>Where its columns flow</MainLink>
          </div>
        </>
      ) : (
        <h1>{title}</h1>
      )}
      {q && can("searchRecords") && can("search") && (
        <Tabs label="kinds" of={KINDS} tab={kind} to={(other) => link("search", { q, kind: other })} />
      )}
      {tag ? (
        <Names q="" tag={tag} />
      ) : namespace ? (
        <Browse namespace={namespace} />
      ) : kind === "record" ? (
        <>
          <Roots prefix={q} />
          <Records q={q} />
        </>
      ) : (
        <>
          <StateChoice q={q} state={state} />
          <Names q={q} state={state} />
        </>
      )}
    </div>
  );
}

/** Buttons that keep what has a failing test; a tag or an owner has none beside it. */
function StateChoice({ q, state }: { q: string; state: TestState }) {
  const [, navigate] = useLocation();
  const { text } = withoutState(q);
  const { tag, owner } = termsOf(text);
  if (tag || owner) return null;
  return (
    <div className="actions">
      <Choices
        label="state of the tests"
        among={STATES.filter(([value]) => value || text)}
        value={state}
        choose={(value) => navigate(link("search", { q: text, state: value }), { replace: true })}
      />
      {state && <Link href={link("tests")}>all failing tests</Link>}
    </div>
  );
}
