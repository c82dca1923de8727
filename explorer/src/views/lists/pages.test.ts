import { expect, test } from "vitest";

import { type Pages, readAll } from "./pages";

/** A list of so many pages, of which the first `loaded` are loaded. */
function aList(pages: number, loaded: number): Pages<number> {
  return {
    data: { pages: Array.from({ length: loaded }, (_, page) => ({ items: [page], total: pages })) },
    error: null,
    hasNextPage: loaded < pages,
    isFetching: false,
    refetch: () => undefined,
    fetchNextPage: async () => aList(pages, loaded + 1),
  };
}

test("a list is read to its end, and at most ten pages of it", async () => {
  expect(await readAll(aList(3, 1))).toEqual([0, 1, 2]);
  expect(await readAll(aList(99, 1))).toHaveLength(10);
});
