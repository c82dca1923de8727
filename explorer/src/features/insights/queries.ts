/** Queries of the feed and of coverage. */

import { call, type ResponseOf, type Schema } from "../../api/client";

export type Coverage = ResponseOf<"/api/v1/reports/coverage">;

export const coverage = (namespace: string) => call("/api/v1/reports/coverage", { namespace });

/** The most news on the feed's page. */
export const FEED_MAX = 1_000;
export type News = Schema<"News">;
export type NewsKind = News["kind"];

interface Feeding {
  /** The number of days, with today: the API knows the date. */
  days: number;
  kind: NewsKind | "";
  namespace: string;
  limit: number;
}

/** The news of the last days, latest first; empty `kind` and `namespace` mean all. */
export const feed = (query: Feeding) => call("/api/v1/feed", { ...query });
