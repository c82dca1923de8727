import { expect, test } from "vitest";
import { anchored, lineOf, type Task } from "./boxes";
import { layered } from "./layered";
import { simple } from "./place";

/** A graph without circles: each box may lead to some of the next ones; the same for the same seed. */
function aTask(boxes: number, seed: number): Task {
  let state = seed;
  const dice = (sides: number) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state % sides;
  };
  const ids = Array.from({ length: boxes }, (_, index) => `n${String(index).padStart(3, "0")}`);
  const arrows = ids.flatMap((from, index) =>
    Array.from({ length: 1 + dice(2) }, () => index + 1 + dice(6))
      .filter((to) => to < boxes)
      .map((to) => ({ from, to: ids[to]! })),
  );
  return { boxes: ids.map((id) => ({ id, width: 216, height: 54 })), arrows, last: {} };
}

const CASES = [1, 2, 7, 30, 60].flatMap((size) => [1, 2, 3].map((seed) => [size, seed] as const));

for (const [name, layout] of [
  ["layered", layered],
  ["simple", simple],
] as const) {
  test.each(CASES)(`${name}: no box lies on another (%i boxes, seed %i)`, (size, seed) => {
    const task = aTask(size, seed),
      { at } = layout(task);
    for (const a of task.boxes) {
      for (const b of task.boxes) {
        if (a.id >= b.id) continue;
        const p = at[a.id]!,
          q = at[b.id]!;
        const apart = p.x + a.width <= q.x || q.x + b.width <= p.x || p.y + a.height <= q.y || q.y + b.height <= p.y;
        expect(apart, `${a.id} ${b.id}`).toBe(true);
      }
    }
  });

  test.each(CASES)(`${name}: every arrow leads to the right (%i boxes, seed %i)`, (size, seed) => {
    const task = aTask(size, seed),
      { at } = layout(task);
    for (const { from, to } of task.arrows) expect(at[to]!.x).toBeGreaterThanOrEqual(at[from]!.x + 216);
  });

  test.each(CASES)(`${name}: the order of the input does not matter (%i boxes, seed %i)`, (size, seed) => {
    const task = aTask(size, seed);
    const shuffled = {
      ...task,
      boxes: [...task.boxes].reverse(),
      arrows: [...task.arrows].sort((a, b) => (a.to < b.to ? 1 : -1)),
    };
    expect(layout(shuffled)).toEqual(layout(task));
  });
}

test("what was clicked stays where it was when others are added", () => {
  const before = layered(aTask(7, 1));
  const task = { ...aTask(30, 1), last: Object.fromEntries(Object.entries(before.at).map(([id, { y }]) => [id, y])) };
  expect(anchored(layered(task), "n003", before.at["n003"]).at["n003"]).toEqual(before.at["n003"]);
});

test("what comes last stands below its siblings, whatever its name", () => {
  const box = { width: 148, height: 36 };
  const siblings = ["b", "c", "d", "e"];
  const task = {
    boxes: [{ id: "hub", ...box }, { id: "a fold", ...box, isLast: true }, ...siblings.map((id) => ({ id, ...box }))],
    arrows: ["a fold", ...siblings].map((to) => ({ from: "hub", to })),
    last: {},
  };
  const { at } = layered(task);
  expect(Math.max(...siblings.map((id) => at[id]!.y))).toBeLessThan(at["a fold"]!.y);
  const again = layered({ ...task, last: { "a fold": 0, b: 100, c: 200 } }).at;
  expect(Math.max(...siblings.map((id) => again[id]!.y))).toBeLessThan(again["a fold"]!.y);
});

test("a long arrow passes the ranks between its ends clear of their boxes", () => {
  const boxes = ["a", "b", "c"].map((id) => ({ id, width: 216, height: 54 }));
  const { at, bends } = layered({
    boxes,
    arrows: [
      { from: "a", to: "b" },
      { from: "b", to: "c" },
      { from: "a", to: "c" },
    ],
    last: {},
  });
  const [bend] = bends["a→c"]!;
  expect(bend!.x).toBeCloseTo(at["b"]!.x + 108);
  expect(bend!.y < at["b"]!.y || bend!.y > at["b"]!.y + 54).toBe(true);
});

test("a long way goes on in lower rows, and a line leads from the end of a row to the start of the next", () => {
  const ids = ["a", "b", "c", "d", "e"];
  const arrows = ids.slice(1).map((to, index) => ({ from: ids[index]!, to }));
  const { at, lanes } = layered({
    boxes: ids.map((id) => ({ id, width: 100, height: 50 })),
    arrows,
    last: {},
    perRow: 2,
  });
  expect(ids.map((id) => [at[id]!.x, at[id]!.y])).toEqual([
    [0, 0],
    [164, 0],
    [0, 122],
    [164, 122],
    [0, 244],
  ]);
  expect(lanes).toEqual({ "b→c": 86, "d→e": 208 });
  const area = (id: string) => ({ ...at[id]!, width: 100, height: 50 });
  const { path, sign } = lineOf({ from: area("b"), to: area("c"), lane: lanes["b→c"] });
  expect([path.includes("V74"), sign]).toEqual([true, null]);
});

test("a box below a circle is to the right of the circle, whatever its id", () => {
  const ids = ["a-below", "b", "c", "d-source"];
  const arrows = ["d-source b", "b c", "c b", "c c", "c a-below"].map((arrow) => arrow.split(" "));
  const boxes = ids.map((id) => ({ id, width: 100, height: 50 }));
  const { at } = layered({ boxes, arrows: arrows.map(([from, to]) => ({ from: from!, to: to! })), last: {} });
  expect(ids.sort((a, b) => at[a]!.x - at[b]!.x)).toEqual(["d-source", "b", "c", "a-below"]);
});

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
