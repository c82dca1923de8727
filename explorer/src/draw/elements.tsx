/** A box and an arrow of a picture: how React Flow draws them, and what it is given of them. */

import { BaseEdge, type Edge, type EdgeProps, Handle, type Node, type NodeProps, Position } from "@xyflow/react";
import { createContext, type ReactNode, useContext } from "react";

import { type Box, bendsOf, type Placed, type Point } from "../layout/boxes";
import { pathOf } from "../layout/path";
import { arrowKey } from "../model/graph";
import type { PathNodes } from "../model/paths";

export interface DrawnArrow {
  from: string;
  to: string;
  /** Where at the boxes the line starts and ends, from the top; the middle if not given. */
  fromY?: number;
  toY?: number;
  key?: string;
  look?: string;
}

interface Look {
  draw: (id: string, muted: boolean) => ReactNode;
  path: PathNodes | null;
  hover: PathNodes | null;
}

/** What a box is drawn by: React Flow hands it its id alone. */
export const Looks = createContext<Look>({ draw: () => null, path: null, hover: null });

function BoxNode({ id, width = 0, height = 0 }: NodeProps) {
  const { draw, path, hover } = useContext(Looks);
  const muted = path !== null && !path.has(id) && !(hover?.has(id) ?? false);
  return (
    <>
      <Handle type="target" position={Position.Left} isConnectable={false} style={{ top: height / 2, left: 0 }} />
      {draw(id, muted)}
      <Handle
        type="source"
        position={Position.Right}
        isConnectable={false}
        style={{ top: height / 2, left: width - 1 }}
      />
    </>
  );
}

function ArrowEdge({
  sourceX,
  sourceY,
  targetX,
  targetY,
  data,
}: EdgeProps<Edge<{ bends: Point[]; half: number; fromY: number; toY: number }>>) {
  const { bends = [], half = 60, fromY = 0, toY = 0 } = data ?? {};
  // The tip stays clear of the ring around the focus.
  const end = { x: targetX - 13, y: targetY + toY };
  return (
    <>
      <BaseEdge path={pathOf({ x: sourceX, y: sourceY + fromY }, end, bends, half)} />
      <path className="arrow-head" d={`M${end.x},${end.y - 4} l8,4 l-8,4 z`} />
    </>
  );
}

export const NODE_TYPES = { box: BoxNode };
export const EDGE_TYPES = { arrow: ArrowEdge };

/** Return a box at its place. It is `measured`: boxes out of sight are not drawn, and *Fit* would wait for them. */
export function toNode({ id, width, height }: Box, position: Point, label: string): Node {
  return {
    id,
    type: "box",
    position,
    width,
    height,
    measured: { width, height },
    zIndex: 2,
    data: {},
    ariaLabel: label,
    connectable: false,
    deletable: false,
    handles: [
      { type: "target", position: Position.Left, x: 0, y: height / 2, width: 1, height: 1 },
      { type: "source", position: Position.Right, x: width - 1, y: height / 2, width: 1, height: 1 },
    ],
  };
}

interface Line {
  placed: Placed;
  /** Heights of the boxes at both ends. */
  heights: readonly [number, number];
  /** True where both ends are where the layout put them, so that its bends fit. */
  isFree: boolean;
  lit: boolean;
  muted: boolean;
}

export function toEdge(arrow: DrawnArrow, { placed, heights, isFree, lit, muted }: Line): Edge {
  const { from, to, look = "" } = arrow;
  return {
    id: arrow.key ?? arrowKey(arrow),
    source: from,
    target: to,
    type: "arrow",
    focusable: false,
    selectable: false,
    className: `${look} ${lit ? "is-lit" : muted ? "is-muted" : ""}`,
    zIndex: lit ? 1 : 0,
    data: {
      bends: isFree ? bendsOf(placed, arrow) : [],
      half: 110,
      fromY: arrow.fromY === undefined ? 0 : arrow.fromY - heights[0] / 2,
      toY: arrow.toY === undefined ? 0 : arrow.toY - heights[1] / 2,
    },
  };
}
