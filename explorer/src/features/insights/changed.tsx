/** A card of the start: what happened in the last days, the latest first. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";

import { count } from "../../model/format";
import { link } from "../../url/state";
import { StartCard } from "../../views/start/work";
import { inBrief, keyOfNews, NewsItem } from "./news";
import { feed } from "./queries";

const NEWS_DAYS = 7,
  NEWS_MAX = 200,
  NEWS_LINES = 8;

export function Changed() {
  const result = useQuery(feed({ days: NEWS_DAYS, kind: "", namespace: "", limit: NEWS_MAX }));
  return (
    <StartCard title={`Changed in the last ${NEWS_DAYS} days`} label="changed" of={result} rows={3}>
      {({ news, totalCount, truncated }) => (
        <>
          <ul className="plain">
            {news.length === 0 && <li className="muted">Nothing new, dropped, changed or failing.</li>}
            {inBrief(news, NEWS_LINES).map(({ news: entry, more }) => (
              <NewsItem key={keyOfNews(entry)} news={entry}>
                {more > 0 && (
                  <div>
                    and <Link href={link("feed", { kind: "DATASET_NEW" })}>{count(more)} more new</Link>
                  </div>
                )}
              </NewsItem>
            ))}
          </ul>
          <p className="muted">
            <Link href={link("feed")}>
              all {count(totalCount)}
              {truncated && " or more"}, by day
            </Link>
          </p>
        </>
      )}
    </StartCard>
  );
}
