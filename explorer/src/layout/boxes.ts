/** The input and output of a layout, in pixels (`x`, `y`: a box's upper left corner), and the lines of its arrows. */

export interface Box {
  id: string;
  width: number;
  height: number;
  /** True of a box below all boxes of its node, such as a fold. */
  isLast?: boolean;
}

export interface Point {
  x: number;
  y: number;
  /** Of a bend: how far to each side the line is flat. */
  half?: number;
}

/** A box at its place. */
export interface Area extends Point {
  width: number;
  height: number;
}

export interface Placed {
  at: Record<string, Point>;
  /** Where a line passes the ranks between its ends, by `from→to`. */
  bends: Record<string, Point[]>;
  /** The height at which a line goes back to the start of a lower row, by `from→to`. */
  lanes: Record<string, number>;
}

export interface Task {
  boxes: Box[];
  arrows: { from: string; to: string }[];
  /** The heights of the last layout: boxes keep their order from top to bottom where possible. */
  last: Record<string, number>;
  /** The number of ranks in a row; all of them if 0. */
  perRow?: number;
}

export const RANK_GAP = 64;
export const ROW_GAP = 20;

/** Sort the boxes by their last heights, new boxes by id: the order of the input has no effect. */
export function inOrder(task: Task): Box[] {
  const height = (box: Box) => task.last[box.id] ?? Infinity;
  return [...task.boxes].sort((a, b) => height(a) - height(b) || (a.id < b.id ? -1 : 1));
}

/** Move the whole layout, until a box is at its last place. */
export function anchored(placed: Placed, id: string, was: Point | undefined): Placed {
  const is = placed.at[id];
  if (!is || !was) return placed;
  const move = ({ x, y, half }: Point): Point => ({
    x: x + was.x - is.x,
    y: y + was.y - is.y,
    ...(half ? { half } : {}),
  });
  return {
    ...placed,
    at: Object.fromEntries(Object.entries(placed.at).map(([key, at]) => [key, move(at)])),
    bends: Object.fromEntries(Object.entries(placed.bends).map(([key, points]) => [key, points.map(move)])),
    lanes: Object.fromEntries(Object.entries(placed.lanes).map(([key, y]) => [key, y + was.y - is.y])),
  };
}

/** Return the bends of the line between two boxes: it crosses no box. */
export const bendsOf = (placed: Placed, { from, to }: { from: string; to: string }): readonly Point[] =>
  placed.bends[`${from}→${to}`] ?? [];

const SAME_RANK_PX = 128;

/** Find the nearest box above or below in the same rank. */
export function findBeside({ at }: Placed, id: string, isUp: boolean): string | null {
  const here = at[id];
  if (!here) return null;
  const far = (other: string) => (at[other]!.y - here.y) * (isUp ? -1 : 1);
  const rank = Object.keys(at).filter((other) => Math.abs(at[other]!.x - here.x) < SAME_RANK_PX && far(other) > 0);
  return rank.sort((a, b) => far(a) - far(b))[0] ?? null;
}

/** The boxes of an arrow at their places. */
export const areasOf = (
  placed: Placed,
  sizes: ReadonlyMap<string, Box>,
  { from, to }: { from: string; to: string },
) => ({
  from: { ...sizes.get(from)!, ...placed.at[from]! },
  to: { ...sizes.get(to)!, ...placed.at[to]! },
});

/** The lowest edge of all boxes between the two areas, ends included. */
export function lowestBetween(
  { at }: Placed,
  sizes: ReadonlyMap<string, Box>,
  { from, to }: { from: Area; to: Area },
): number {
  const isBetween = (x: number, width: number) => x < from.x + from.width && x + width > to.x;
  const bottoms = [...sizes].flatMap(([id, { width, height }]) =>
    at[id] && isBetween(at[id].x, width) ? [at[id].y + height] : [],
  );
  return Math.max(...bottoms);
}

export interface Arrow {
  from: Area;
  to: Area;
  /** Where at the boxes the line starts and ends, from the top; the middle if not given. */
  fromY?: number | undefined;
  toY?: number | undefined;
  bends?: readonly Point[];
  /** The lowest edge of the boxes above an arrow back. */
  under?: number;
  isDouble?: boolean;
  /** The height of the way back to the start of a lower row. */
  lane?: number | undefined;
}

export interface Line {
  /** The `d` of the line, and of its tips. */
  path: string;
  tips: string;
  /** Where an arrow back has its sign `↺`. */
  sign: Point | null;
  middle: Point;
}

// The tip stays clear of the ring around the focus.
const TIP = 13;
const BELOW = 22;
const ROUND = 12;

/** True of an arrow to a box at the left, or above: each circle has such an arrow. */
export const isBack = ({ from, to }: { from: Area; to: Area }): boolean => to.x + to.width <= from.x + from.width;

export function lineOf(arrow: Arrow): Line {
  if (arrow.lane !== undefined) return lineToRow(arrow, arrow.lane);
  if (isBack(arrow)) return lineBack(arrow);
  const { from, to, fromY = from.height / 2, toY = to.height / 2, bends = [], isDouble = false } = arrow;
  const start = { x: from.x + from.width + (isDouble ? TIP : 0), y: from.y + fromY },
    end = { x: to.x - TIP, y: to.y + toY };
  const back = isDouble ? ` M${round(start.x)},${round(start.y - 4)} l-8,4 l8,4 z` : "";
  return {
    path: pathOf(start, end, bends),
    tips: `M${round(end.x)},${round(end.y - 4)} l8,4 l-8,4 z${back}`,
    sign: null,
    middle: bends[Math.floor(bends.length / 2)] ?? { x: (start.x + end.x) / 2, y: (start.y + end.y) / 2 },
  };
}

/** The line to a lower row: down at the right of its box, along the lane, and down at the left of the target. */
function lineToRow({ from, to }: Arrow, lane: number): Line {
  const start = { x: from.x + from.width, y: from.y + from.height / 2 },
    end = { x: to.x - TIP, y: to.y + to.height / 2 };
  const [right, left] = [start.x + 2 * ROUND, end.x - ROUND];
  const path =
    `M${round(start.x)},${round(start.y)} H${round(right - ROUND)} q${ROUND},0 ${ROUND},${ROUND}` +
    ` V${round(lane - ROUND)} q0,${ROUND} ${-ROUND},${ROUND} H${round(left + ROUND)}` +
    ` q${-ROUND},0 ${-ROUND},${ROUND} V${round(end.y - ROUND)} q0,${ROUND} ${ROUND},${ROUND} H${round(end.x)}`;
  return {
    path,
    tips: `M${round(end.x)},${round(end.y - 4)} l8,4 l-8,4 z`,
    sign: null,
    middle: { x: start.x, y: lane },
  };
}

/** The line of an arrow back: down from the middle of its box, under all boxes between, up to the target's middle. */
function lineBack({ from, to, under = 0 }: Arrow): Line {
  const start = { x: from.x + from.width / 2, y: from.y + from.height },
    end = { x: to.x + to.width / 2, y: to.y + to.height + TIP };
  const low = Math.max(under, start.y, end.y) + BELOW;
  // Between two boxes of a column the line goes around the left side.
  const left = Math.min(end.x, start.x - 2 * ROUND);
  const path =
    `M${round(start.x)},${round(start.y)} V${round(low - ROUND)} q0,${ROUND} ${-ROUND},${ROUND}` +
    ` H${round(left + ROUND)} q${-ROUND},0 ${-ROUND},${-ROUND} V${round(end.y)}`;
  const tips = `M${round(left - 4)},${round(end.y)} l4,-8 l4,8 z`;
  const sign = { x: round((start.x + left) / 2), y: round(low) };
  return { path, tips, sign, middle: { x: sign.x - 2 * ROUND, y: sign.y } };
}

function pathOf(start: Point, end: Point, bends: readonly Point[]): string {
  const stops = bends.flatMap(({ x, y, half = 0 }) => [
    { x: x - half, y },
    { x: x + half, y },
  ]);
  const points = [start, ...stops, end];
  let path = `M${round(start.x)},${round(start.y)}`;
  for (let index = 1; index < points.length; index++) path += curve(points[index - 1]!, points[index]!);
  return path;
}

function curve(from: Point, to: Point): string {
  // A box moved by hand may lie left of a bend.
  const pull = to.x > from.x ? (to.x - from.x) / 2 : 60 + Math.abs(to.x - from.x) / 6;
  const [x, y] = [round(to.x), round(to.y)];
  return ` C${round(from.x + pull)},${round(from.y)} ${round(to.x - pull)},${y} ${x},${y}`;
}

const round = (value: number) => Math.round(value * 10) / 10;

type Ends = { from: string; to: string } & Pick<Arrow, "fromY" | "toY">;

/** Return the line of an arrow between two boxes of a layout. */
export function lineIn(placed: Placed, sizes: ReadonlyMap<string, Box>, { from, to, ...at }: Ends): Line {
  const areas = areasOf(placed, sizes, { from, to });
  return lineOf({
    ...areas,
    ...at,
    bends: bendsOf(placed, { from, to }),
    lane: placed.lanes[`${from}→${to}`],
    under: isBack(areas) ? lowestBetween(placed, sizes, areas) : 0,
  });
}
