// @vitest-environment happy-dom
import { expect, test } from "vitest";
import type { Card } from "../../model/columns";
import { walk } from "./open-columns";

const idOf = (dataset: string, field: string) => `datasetField:n:${dataset}:${field}`;
const aCard = (name: string, fields: string): Card => ({
  ...{ id: `dataset:n:${name}`, namespace: "n", name, stale: false, more: 0, hidden: [], filter: null },
  columns: [...fields].map((field) => ({ id: idOf(name, field), field, type: null })),
});

const aLine = (from: string, to: string) => ({ from, to, steps: [], direct: true, masked: false });

const PICTURE = {
  cards: [aCard("orders", "ab"), aCard("items", "c"), aCard("sums", "st")],
  kept: [
    aLine(idOf("orders", "a"), idOf("sums", "s")),
    aLine(idOf("items", "c"), idOf("sums", "s")),
    aLine(idOf("hidden", "x"), idOf("sums", "t")),
  ],
};
const PLACED = {
  at: { "dataset:n:orders": { x: 0, y: 0 }, "dataset:n:items": { x: 9, y: 200 }, "dataset:n:sums": { x: 300, y: 150 } },
  bends: {},
  lanes: {},
};

test.each([
  ["the next column of a card", idOf("orders", "a"), "ArrowDown", idOf("orders", "b")],
  ["the first of the card below", idOf("orders", "b"), "ArrowDown", idOf("items", "c")],
  ["the last of the card above", idOf("items", "c"), "ArrowUp", idOf("orders", "b")],
  ["the end of its line", idOf("items", "c"), "ArrowRight", idOf("sums", "s")],
  ["the nearer of two sources", idOf("sums", "s"), "ArrowLeft", idOf("items", "c")],
  ["no source that is not drawn", idOf("sums", "t"), "ArrowLeft", null],
  ["the first column of a dataset", "dataset:n:sums", "ArrowRight", idOf("sums", "s")],
])("an arrow key leads to %s", (_, from, key, to) => expect(walk(PICTURE, PLACED, from, key)).toBe(to));
