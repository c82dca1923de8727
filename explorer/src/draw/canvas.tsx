/** The picture: nodes and arrows where a layout put them, to move around in, with what is lit and what is muted. */

import {
  BaseEdge,
  type Edge,
  type EdgeProps,
  Handle,
  MiniMap,
  type Node,
  type NodeChange,
  type NodeProps,
  Position,
  ReactFlow,
  ReactFlowProvider,
  type ReactFlowState,
  useReactFlow,
  useStore,
} from "@xyflow/react";
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from "react";
import "@xyflow/react/dist/base.css";
import "../style/draw.css";

import { type Box, bendsOf, type Placed, type Point } from "../layout/boxes";
import { pathOf } from "../layout/path";
import { arrowKey } from "../model/graph";
import type { PathNodes } from "../model/paths";
import type { Direction } from "../url/state";
import { Beyond } from "./beyond";
import { moveIntoSight, showFirst } from "./sight";
import { usePlaced } from "./use-placed";

export interface DrawnArrow {
  from: string;
  to: string;
  /** Where at the boxes the line starts and ends, from the top; the middle if not given. */
  fromY?: number;
  toY?: number;
  key?: string;
  look?: string;
}

export interface Handled {
  fit: () => void;
  center: (id: string) => void;
  focusNode: (id: string) => void;
  zoom: (factor: number) => void;
}

interface Look {
  draw: (id: string, muted: boolean) => ReactNode;
  path: PathNodes | null;
  hover: PathNodes | null;
}

const Looks = createContext<Look>({ draw: () => null, path: null, hover: null });
const HOVER_MS = 100;
/** The least scales at which a box has all its text, larger text, or its name alone. */
export const FULL_FROM = 0.88;
const LARGE_FROM = 0.74;
const NAME_FROM = 0.25;
const MAPPED_FROM = 30;

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

const NODE_TYPES = { box: BoxNode };
const EDGE_TYPES = { arrow: ArrowEdge };
const level = ({ transform: [, , scale] }: ReactFlowState) =>
  scale >= FULL_FROM
    ? "zoom-full"
    : scale >= LARGE_FROM
      ? "zoom-large"
      : scale >= NAME_FROM
        ? "zoom-name"
        : "zoom-block";
const paneSize = ({ width, height }: ReactFlowState) => `${width} ${height}`;

export interface CanvasProps {
  boxes: readonly Box[];
  arrows: readonly DrawnArrow[];
  /** Ids between which the layout has an arrow, where the drawn ones are others (columns). */
  layoutArrows?: readonly { from: string; to: string }[];
  anchor: string;
  focus: string;
  /** True while the boxes are of the last picture, and those of the focus load. */
  isLate: boolean;
  /** True where all is to be in sight at first, however small. */
  isWhole?: boolean;
  /** The sides that are drawn, which decide where the focus of a large picture is at first. */
  dir: Direction;
  /** Ids that stay in sight while the picture or the pane changes, the most important first. */
  inSight: readonly string[];
  path: PathNodes | null;
  isOnPath: (arrow: DrawnArrow) => boolean;
  neighbours: (id: string) => PathNodes;
  draw: (id: string, muted: boolean) => ReactNode;
  label: (id: string) => string;
  onChoose: (id: string, event: { shiftKey: boolean }) => void;
  onClear: () => void;
  handle: (handled: Handled) => void;
  onPlaced?: (placed: Placed) => void;
}

export function Canvas(props: CanvasProps) {
  return (
    <ReactFlowProvider>
      <Flow {...props} />
    </ReactFlowProvider>
  );
}

function Flow({
  boxes,
  arrows,
  layoutArrows,
  anchor,
  focus,
  isLate,
  isWhole = false,
  dir,
  inSight,
  path,
  isOnPath,
  neighbours,
  draw,
  label,
  onChoose,
  onClear,
  handle,
  onPlaced,
}: CanvasProps) {
  const { placed, isCurrent } = usePlaced(boxes, layoutArrows ?? arrows, anchor, onPlaced);
  const [pins, setPins] = useState<Record<string, Point>>({});
  const [hovered, setHovered] = useState<string | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const flow = useReactFlow();
  const zoomLevel = useStore(level);
  const pane = useStore(paneSize);
  // The layout that was shown first; of a whole picture the last one that was fitted.
  const settled = useRef<Placed | null>(null);
  const sizes = useMemo(() => new Map(boxes.map((box) => [box.id, box])), [boxes]);

  // Another focus is another picture: nothing of the old one is pinned in it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another focus, or the whole, is another picture
  useEffect(() => {
    setPins({});
    settled.current = null;
  }, [focus, isWhole]);

  const nodes = useMemo<Node[]>(() => {
    if (!placed) return [];
    return boxes.flatMap(({ id, width, height }) => {
      const at = pins[id] ?? placed.at[id];
      if (!at) return [];
      return [
        {
          id,
          type: "box",
          position: at,
          width,
          height,
          measured: { width, height },
          zIndex: 2,
          data: {},
          ariaLabel: label(id),
          connectable: false,
          deletable: false,
          handles: [
            { type: "target", position: Position.Left, x: 0, y: height / 2, width: 1, height: 1 },
            { type: "source", position: Position.Right, x: width - 1, y: height / 2, width: 1, height: 1 },
          ],
        } satisfies Node,
      ];
    });
  }, [placed, boxes, pins, label]);

  const hover = useMemo(() => (hovered === null ? null : neighbours(hovered)), [hovered, neighbours]);
  const edges = useMemo<Edge[]>(() => {
    if (!placed) return [];
    return arrows
      .filter(({ from, to }) => placed.at[from] && placed.at[to])
      .map((arrow) => {
        const { from, to, look = "" } = arrow;
        const free = !pins[from] && !pins[to];
        const lit = isOnPath(arrow) || (hovered !== null && (from === hovered || to === hovered));
        const middle = (id: string) => (sizes.get(id)?.height ?? 0) / 2;
        return {
          id: arrow.key ?? arrowKey(arrow),
          source: from,
          target: to,
          type: "arrow",
          focusable: false,
          selectable: false,
          className: `${look} ${lit ? "is-lit" : path !== null ? "is-muted" : ""}`,
          zIndex: lit ? 1 : 0,
          data: {
            bends: free ? bendsOf(placed, arrow) : [],
            half: 110,
            fromY: arrow.fromY === undefined ? 0 : arrow.fromY - middle(from),
            toY: arrow.toY === undefined ? 0 : arrow.toY - middle(to),
          },
        };
      });
  }, [placed, arrows, pins, path, isOnPath, hovered, sizes]);

  const fit = useCallback(() => void flow.fitView({ padding: 0.12, maxZoom: 1, minZoom: 0.05 }), [flow]);
  useEffect(() => {
    // While the next picture loads, or is laid out, its place is not known.
    if (
      !placed ||
      !isCurrent ||
      isLate ||
      !nodes.length ||
      (isWhole ? settled.current === placed : settled.current !== null)
    )
      return;
    settled.current = placed;
    if (isWhole) fit();
    else showFirst(flow, nodes, focus, dir);
    performance.mark("map-drawn");
  }, [placed, isCurrent, isLate, nodes, flow, focus, dir, isWhole, fit]);
  const sighted = inSight.join("\n");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the pane's size decides what is in sight
  useEffect(() => {
    // Not before the first sight, and after the new boxes are known.
    if (!placed || !settled.current || isWhole) return;
    const frame = requestAnimationFrame(() => moveIntoSight(flow, sighted.split("\n")));
    return () => cancelAnimationFrame(frame);
  }, [placed, pane, sighted, flow, isWhole]);
  useEffect(() => {
    handle({
      fit,
      center: (id) => {
        const node = flow.getNode(id);
        if (node)
          void flow.setCenter(node.position.x + (node.width ?? 0) / 2, node.position.y + (node.height ?? 0) / 2, {
            zoom: Math.max(flow.getZoom(), LARGE_FROM),
          });
      },
      focusNode: (id) =>
        document
          .querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"]`)
          ?.focus({ preventScroll: true }),
      zoom: (factor) => void (factor > 1 ? flow.zoomIn() : flow.zoomOut()),
    });
  }, [handle, fit, flow]);

  const change = useCallback((changes: NodeChange[]) => {
    for (const nodeChange of changes) {
      const { type } = nodeChange;
      if (type === "position" && nodeChange.position && nodeChange.dragging) {
        const { id, position } = nodeChange;
        setPins((now) => ({ ...now, [id]: position }));
      }
    }
  }, []);
  const enter = (_: unknown, node: Node) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setHovered(node.id), HOVER_MS);
  };
  const leave = () => {
    clearTimeout(timer.current);
    setHovered(null);
  };
  return (
    <Looks.Provider value={useMemo(() => ({ draw, path, hover }), [draw, path, hover])}>
      <ReactFlow
        className={`${zoomLevel} settling`}
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        onlyRenderVisibleElements
        nodesConnectable={false}
        elementsSelectable={false}
        edgesFocusable={false}
        nodesFocusable
        minZoom={0.05}
        maxZoom={2}
        proOptions={{ hideAttribution: true }}
        nodeDragThreshold={4}
        zoomOnDoubleClick={false}
        panOnScroll={false}
        disableKeyboardA11y
        deleteKeyCode={null}
        selectionKeyCode={null}
        multiSelectionKeyCode={null}
        onNodesChange={change}
        onNodeClick={(event, node) => onChoose(node.id, event)}
        onPaneClick={onClear}
        onNodeMouseEnter={enter}
        onNodeMouseLeave={leave}
      >
        {boxes.length > MAPPED_FROM && <MiniMap pannable zoomable ariaLabel="the whole picture, small" />}
        <Beyond nodes={nodes} />
      </ReactFlow>
    </Looks.Provider>
  );
}
