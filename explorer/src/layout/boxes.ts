/** The input and output of a layout, in pixels; `x` and `y` of a box's upper left corner. */

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
