/** What happened in the last days, by day: new and dropped datasets, changed schemas, jobs that began to fail. */

import { useLocation } from "wouter";
import { count, plural } from "../../model/format";
import { Choices, Select } from "../../parts/controls";
import { Asked, NamespaceChoice, useAddress, useTitle } from "../../parts/frame";
import { link } from "../../url/state";
import { keyOfNews, NewsItem, newsByDay } from "./news";
import { FEED_MAX, feed, type News, type NewsKind } from "./queries";

const KINDS: readonly [NewsKind | "", string][] = [
  ["", "All"],
  ["DATASET_NEW", "New"],
  ["DATASET_DROPPED", "Dropped"],
  ["SCHEMA_CHANGED", "Schemas"],
  ["JOB_FAILS", "Failing jobs"],
];
/** Days that are listed, today among them. The API has no more than the last ones. */
const DAYS = [1, 7, 31] as const;
const WEEK = 7;

/** The query string of the page, and a function that changes it. */
function useChoice() {
  const address = useAddress("kind", "namespace", "days");
  const [, navigate] = useLocation();
  const given = {
    kind: KINDS.find(([kind]) => kind === address.kind)?.[0] ?? "",
    namespace: address.namespace,
    days: DAYS.find((days) => String(days) === address.days) ?? WEEK,
  };
  return {
    ...given,
    change: (changes: Partial<typeof given>) => {
      const { days, ...rest } = { ...given, ...changes };
      navigate(link("feed", { ...rest, days: days === WEEK ? "" : days }), { replace: true });
    },
  };
}

export function FeedView() {
  useTitle("What happened");
  const { kind, namespace, days, change } = useChoice();
  return (
    <div className="page">
      <h1>What happened</h1>
      <div className="actions">
        <Choices label="kind of news" among={KINDS} value={kind} choose={(value) => change({ kind: value })} />
        <NamespaceChoice value={namespace} choose={(name) => change({ namespace: name })} />
        <Select
          label="days"
          value={String(days)}
          among={DAYS.map((most) => [String(most), most === 1 ? "today" : `last ${most} days`])}
          choose={(value) => change({ days: DAYS.find((most) => String(most) === value) ?? WEEK })}
        />
      </div>
      <Asked query={feed({ days, kind, namespace, limit: FEED_MAX })}>{(answer) => <Days {...answer} />}</Asked>
    </div>
  );
}

function Days({ news, totalCount, truncated }: { news: News[]; totalCount: number; truncated: boolean }) {
  if (totalCount === 0) return <p className="muted">Nothing new, dropped, changed or failing in these days.</p>;
  const left = totalCount - news.length;
  return (
    <>
      <p className="muted" role="status">
        {plural(totalCount, "change")}
        {left > 0 && `; the last ${count(news.length)} are here`}
        {truncated && "; there may be more"}. Days are UTC’s.
      </p>
      {newsByDay(news).map(([day, ofDay]) => (
        <section className="card" key={day} aria-label={day}>
          <h2>{day}</h2>
          <ul className="plain">
            {ofDay.map((entry) => (
              <NewsItem key={keyOfNews(entry)} news={entry} />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}
