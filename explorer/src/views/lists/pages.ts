/** A list that is loaded page by page. */

import { count, plural } from "../../model/format";

const PAGES_MAX = 10;

export const PAGE = 500;
/** The most items of a list that are ever loaded. */
export const LOADED_MAX = PAGES_MAX * PAGE;

export interface Pages<T> {
  data: { pages: { items: T[]; total: number }[] } | undefined;
  error: Error | null;
  hasNextPage: boolean;
  isFetching: boolean;
  refetch: () => unknown;
  fetchNextPage: () => Promise<Pages<T>>;
}

/** The items of the pages that are loaded. */
export const itemsOf = <T>(data: Pages<T>["data"]) => data?.pages.flatMap(({ items }) => items) ?? [];

/** Return the offset of the next page; none after the last. */
export const nextOffset = (last: { items: readonly unknown[]; total: number }, pages: readonly unknown[]) =>
  last.items.length && pages.length * PAGE < last.total ? pages.length * PAGE : undefined;

/** Return how many of the rows are shown: "12 of 300 jobs", "the first 500 of 2,600 jobs". */
export function shownOf(shown: number, loaded: number, total: number, word: string): string {
  const all = plural(total, word);
  if (loaded >= total) return `${count(shown)} of ${all}`;
  return shown === loaded
    ? `the first ${count(loaded)} of ${all}`
    : `${count(shown)} of the first ${count(loaded)}, of ${all}`;
}

/** Load the other pages of a list, up to `LOADED_MAX` items. */
export async function readAll<T>(of: Pages<T>): Promise<T[]> {
  let loaded = of;
  for (let page = 1; page < PAGES_MAX && loaded.hasNextPage; page++) loaded = await loaded.fetchNextPage();
  return itemsOf(loaded.data);
}
