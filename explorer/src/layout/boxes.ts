/** What a layout takes and gives; pixels, `x` and `y` of a box's upper left corner. */

export interface Box {
  id: string;
  width: number;
  height: number;
  /** True of a box that stands below the others of its node, as a fold does. */
  isLast?: boolean;
}

export interface Point {
  x: number;
  y: number;
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
  simple: boolean;
}

export interface Task {
  boxes: Box[];
  arrows: { from: string; to: string }[];
  /** The heights of the last layout: who stood above another stays above it where nothing speaks against it. */
  last: Record<string, number>;
}

export const RANK_GAP = 64;
export const ROW_GAP = 26;

/** The boxes as a layout is fed with them: as they stood, new ones by id, whatever order they came in. */
export function inOrder(task: Task): Box[] {
  const height = (box: Box) => task.last[box.id] ?? Infinity;
  return [...task.boxes].sort((a, b) => height(a) - height(b) || (a.id < b.id ? -1 : 1));
}

/** The layout moved as a whole, so that one box is where it was. */
export function anchored(placed: Placed, id: string, was: Point | undefined): Placed {
  const is = placed.at[id];
  if (!is || !was) return placed;
  const move = ({ x, y }: Point): Point => ({ x: x + was.x - is.x, y: y + was.y - is.y });
  return {
    ...placed,
    at: Object.fromEntries(Object.entries(placed.at).map(([key, at]) => [key, move(at)])),
    bends: Object.fromEntries(Object.entries(placed.bends).map(([key, points]) => [key, points.map(move)])),
  };
}

/** Where the line between two boxes passes others, so that it crosses none. */
export const bendsOf = (placed: Placed, { from, to }: { from: string; to: string }): readonly Point[] =>
  placed.bends[`${from}→${to}`] ?? [];

/** The boxes of an arrow at their places. */
export const areasOf = (
  placed: Placed,
  sizes: ReadonlyMap<string, Box>,
  { from, to }: { from: string; to: string },
) => ({
  from: { ...sizes.get(from)!, ...placed.at[from]! },
  to: { ...sizes.get(to)!, ...placed.at[to]! },
});

/** The lowest edge of all boxes from the one area back to the other. */
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
