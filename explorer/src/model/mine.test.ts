import { expect, test } from "vitest";

import { isOwnHost, keptOf, NOTHING, PINNED_MAX, parseMine, SEEN_MAX, see, togglePin } from "./mine";

const kept = (name: string) => keptOf(`dataset:s3://lake:${name}`);
const namesOf = (list: readonly { name: string }[]) => list.map(({ name }) => name);

test("what is seen again comes first, once, and the oldest goes", () => {
  let mine = NOTHING;
  for (let place = 0; place < SEEN_MAX + 3; place++) mine = see(mine, kept(`d${place}`));
  mine = see(mine, kept("d10"));
  expect(mine.seen).toHaveLength(SEEN_MAX);
  expect(namesOf(mine.seen).slice(0, 2)).toEqual(["d10", `d${SEEN_MAX + 2}`]);
  expect(namesOf(mine.seen).filter((name) => name === "d10")).toHaveLength(1);
});

test("a pin is set and taken away, and there are at most so many", () => {
  let mine = NOTHING;
  for (let place = 0; place <= PINNED_MAX; place++) mine = togglePin(mine, kept(`d${place}`));
  expect(mine.pinned).toHaveLength(PINNED_MAX);
  expect(namesOf(mine.pinned)).not.toContain("d0");
  mine = togglePin(mine, kept("d7"));
  expect(namesOf(mine.pinned)).not.toContain("d7");
  expect(mine.seen).toEqual([]);
});

test("a name with a colon is kept as the API gave it, a column with its dataset, a version as its dataset", () => {
  const board = { namespace: "dashboards", name: "100:ceo morning" };
  expect(keptOf("dataset:dashboards:100:ceo morning", board)).toEqual({
    id: "dataset:dashboards:100:ceo morning",
    ...board,
  });
  expect(keptOf("datasetField:s3://lake:orders:amount").name).toBe("orders.amount");
  expect(keptOf("dataset:s3://lake:orders#01941f29-7c00-7ea7-b5a3-4d2d5f0a1b2c").id).toBe("dataset:s3://lake:orders");
});

test.each([
  ["nothing", null],
  ["what is no JSON", "{"],
  ["another type", '"text"'],
  ["null", "null"],
  ["what is no list", '{"pinned": {"id": "dataset:a:b"}, "seen": 7, "owner": 3, "remembers": "yes"}'],
  ["what is no node", '{"seen": [null, 7, {"id": "javascript:alert(1)", "namespace": "a", "name": "b"}]}'],
  ["what lacks a name", '{"seen": [{"id": "dataset:a:b", "namespace": "a"}]}'],
])("%s is read as nothing", (_, text) => expect(parseMine(text)).toEqual(NOTHING));

test("only an address of this machine is its user's own", () => {
  expect(["localhost", "127.0.0.1", "127.1.2.3", "[::1]"].filter(isOwnHost)).toHaveLength(4);
  const others = ["127.0.0.1.example.org", "localhost.example.org", "10.0.0.1", "api.example.org", ""];
  expect(others.filter(isOwnHost)).toEqual([]);
});

test("what was stored is read again, and nothing else", () => {
  const mine = { ...see(togglePin(NOTHING, kept("a")), kept("b")), owner: "team:lake", remembers: true };
  expect(parseMine(JSON.stringify({ ...mine, token: "secret" }))).toEqual(mine);
  const many = Array.from({ length: 99 }, (_, place) => kept(`d${place}`));
  expect(parseMine(JSON.stringify({ seen: many, pinned: many })).seen).toHaveLength(SEEN_MAX);
});
