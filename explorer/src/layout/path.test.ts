import { expect, test } from "vitest";

import { lineOf } from "./path";

const SIZE = { width: 100, height: 40 };
const LEFT = { x: 0, y: 0, ...SIZE },
  RIGHT = { x: 300, y: 0, ...SIZE };

test("an arrow forth leads from the right edge to the left edge, and stops before it", () => {
  const { path, tips, sign } = lineOf({ from: LEFT, to: RIGHT });
  expect(path).toBe("M100,20 C193.5,20 193.5,20 287,20");
  expect(tips).toBe("M287,16 l8,4 l-8,4 z");
  expect(sign).toBe(null);
});

test("an arrow back runs below the lowest box that it passes", () => {
  const { path, tips, sign } = lineOf({ from: RIGHT, to: LEFT, under: 90 });
  expect(path).toBe("M350,40 V100 q0,12 -12,12 H62 q-12,0 -12,-12 V53");
  expect(tips).toBe("M46,53 l4,-8 l4,8 z");
  expect(sign).toEqual({ x: 200, y: 112 });
});

test("two boxes that lead to each other have one line with a tip at each", () => {
  const { path, tips } = lineOf({ from: LEFT, to: RIGHT, isDouble: true });
  expect(path).toMatch(/^M113,20 /);
  expect(tips).toBe("M287,16 l8,4 l-8,4 z M113,16 l-8,4 l8,4 z");
});
