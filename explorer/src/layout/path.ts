/** The line of an arrow: flat where it leaves, where it passes a rank, and where it ends. */

import type { Point } from "./boxes";

export function pathOf(start: Point, end: Point, bends: readonly Point[] = [], half = 60): string {
  const stops = bends.flatMap(({ x, y }) => [
    { x: x - half, y },
    { x: x + half, y },
  ]);
  const points = [start, ...stops, end];
  let path = `M${round(start.x)},${round(start.y)}`;
  for (let index = 1; index < points.length; index++) {
    const from = points[index - 1]!,
      to = points[index]!;
    path += curve(from, to);
  }
  return path;
}

function curve(from: Point, to: Point): string {
  // Back to the left, as in a circle of jobs, the line swings out on both sides.
  const pull = to.x > from.x ? (to.x - from.x) / 2 : 60 + Math.abs(to.x - from.x) / 6;
  return ` C${round(from.x + pull)},${round(from.y)} ${round(to.x - pull)},${round(to.y)} ${round(to.x)},${round(to.y)}`;
}

const round = (value: number) => Math.round(value * 10) / 10;
