/** A list that is loaded page by page. */

const PAGES_MAX = 10;

export const PAGE = 500;

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

/** Load the other pages of a list, up to so many. */
export async function readAll<T>(of: Pages<T>): Promise<T[]> {
  let loaded = of;
  for (let page = 1; page < PAGES_MAX && loaded.hasNextPage; page++) loaded = await loaded.fetchNextPage();
  return itemsOf(loaded.data);
}
