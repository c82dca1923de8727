/** The components for a box and an arrow of a picture, and their data in React Flow. */

import "./elements.css";

import { BaseEdge, type Edge, type EdgeProps, Handle, type Node, type NodeProps, Position } from "@xyflow/react";
import { createContext, type ReactNode, useContext } from "react";
import {
  type Area,
  type Arrow,
  areasOf,
  type Box,
  bendsOf,
  isBack,
  lineOf,
  lowestBetween,
  type Placed,
  type Point,
} from "../layout/boxes";
import { arrowKey } from "../model/graph";
import type { PathNodes } from "../model/paths";

export interface DrawnArrow {
  from: string;
  to: string;
  /** Where at the boxes the line starts and ends, from the top; the middle if not given. */
  fromY?: number;
  toY?: number;
  /** A sign of the operation on the line, with its formula on hover. */
  mark?: { sign: string; formula: string; isMiddle?: boolean } | undefined;
  key?: string;
  look?: string;
}

const MARK_GAP = 16;

interface Highlight {
  draw: (id: string, muted: boolean) => ReactNode;
  path: PathNodes | null;
  hover: PathNodes | null;
}

/** How to draw a box: React Flow passes the id alone. */
export const HighlightContext = createContext<Highlight>({ draw: () => null, path: null, hover: null });

type Ends = Omit<Arrow, "from" | "to"> & Pick<DrawnArrow, "mark"> & { sizes: readonly [Area, Area] };

function BoxNode({ id, width = 0, height = 0 }: NodeProps) {
  const { draw, path, hover } = useContext(HighlightContext);
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

function ArrowEdge({ sourceX, sourceY, targetX, targetY, data }: EdgeProps<Edge<Ends>>) {
  if (!data) return null;
  const { sizes, mark, ...line } = data;
  const [from, to] = [
    { ...sizes[0], x: sourceX + 1 - sizes[0].width, y: sourceY - sizes[0].height / 2 },
    { ...sizes[1], x: targetX, y: targetY - sizes[1].height / 2 },
  ];
  const { path, tips, sign, middle } = lineOf({ ...line, from, to });
  return (
    <>
      <BaseEdge path={path} />
      <path className="arrow-head" d={tips} />
      {sign && (
        <text className="arrow-back" x={sign.x} y={sign.y}>
          ↺
        </text>
      )}
      {mark && (
        <text
          className={mark.isMiddle ? "arrow-mark is-middle" : "arrow-mark"}
          x={mark.isMiddle ? middle.x : to.x - MARK_GAP}
          y={mark.isMiddle ? middle.y : to.y + (line.toY ?? to.height / 2) - 7}
        >
          {mark.sign}
          <title>{mark.formula}</title>
        </text>
      )}
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

interface Placing {
  placed: Placed;
  sizes: ReadonlyMap<string, Box>;
  /** True if both boxes are at their places in the layout, so its bends fit. */
  isFree: boolean;
  isDouble: boolean;
  lit: boolean;
  muted: boolean;
}

export function toEdge(arrow: DrawnArrow, { placed, sizes, isFree, isDouble, lit, muted }: Placing): Edge {
  const { from, to, fromY, toY, mark, look = "" } = arrow;
  const ends = areasOf(placed, sizes, arrow);
  const lane = placed.lanes[arrowKey(arrow)];
  const data: Ends = {
    sizes: [ends.from, ends.to],
    fromY,
    toY,
    mark,
    isDouble,
    bends: isFree ? bendsOf(placed, arrow) : [],
    lane,
    under: isFree && isBack(ends) ? lowestBetween(placed, sizes, ends) : 0,
  };
  return {
    id: arrow.key ?? arrowKey(arrow),
    source: from,
    target: to,
    type: "arrow",
    focusable: false,
    selectable: false,
    className: `${look} ${isBack(ends) && lane === undefined ? "is-back" : ""} ${lit ? "is-lit" : muted ? "is-muted" : ""}`,
    zIndex: lit ? 1 : 0,
    data,
  };
}
