import { expect, test } from "vitest";

import { nextOffset, type Pages, readAll, shownOf } from "./pages";

test.each([
  [300, 300, 300, "300 of 300 jobs"],
  [2, 300, 300, "2 of 300 jobs"],
  [500, 500, 2600, "the first 500 of 2,600 jobs"],
  [1, 500, 2600, "1 of the first 500, of 2,600 jobs"],
  [1, 1, 1, "1 of 1 job"],
])("of a list %i shown, %i loaded, %i in all: %s", (shown, loaded, total, said) =>
  expect(shownOf(shown, loaded, total, "job")).toBe(said),
);

test("the next page follows those that are loaded, until a page is empty or all are", () => {
  expect(nextOffset({ items: [1], total: 1200 }, [1, 2])).toBe(1000);
  expect(nextOffset({ items: [1], total: 1000 }, [1, 2])).toBeUndefined();
  expect(nextOffset({ items: [], total: 1200 }, [1, 2])).toBeUndefined();
});

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
