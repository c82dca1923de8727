/** The line of an arrow: flat at its start, at each rank and at its end. An arrow back runs below its boxes. */

import { type Area, areasOf, type Box, bendsOf, lowestBetween, type Placed, type Point } from "./boxes";

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
