/** The picture: nodes and arrows at their places, to move around in; lit or muted. */

import "@xyflow/react/dist/base.css";
import "../style/draw.css";
import "./outside.css";

import {
  type Edge,
  getNodesBounds,
  MiniMap,
  type Node,
  type NodeChange,
  ReactFlow,
  ReactFlowProvider,
  type ReactFlowState,
  useReactFlow,
  useStore,
} from "@xyflow/react";
import { type ReactNode, type RefObject, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { areasOf, type Box, isBack, type Placed, type Point } from "../layout/boxes";
import { plural } from "../model/format";
import { arrowKey } from "../model/graph";
import type { PathNodes } from "../model/paths";
import { cutFront, type Title } from "../model/titles";
import type { Direction } from "../url/state";
import { type DrawnArrow, EDGE_TYPES, HighlightContext, NODE_TYPES, toEdge, toNode } from "./elements";
import { type Handled, useHandled, usePlaced, useSight, zoomLevel } from "./sight";

const MAPPED_FROM = 30;

export interface CanvasProps {
  boxes: readonly Box[];
  arrows: readonly DrawnArrow[];
  /** The layout's arrows, where the drawn arrows join columns and not boxes. */
  layoutArrows?: readonly { from: string; to: string }[];
  /** The number of ranks in a row; all of them if not given. */
  perRow?: number;
  anchor: string;
  focus: string;
  /** True while the focus loads and the boxes of the last picture stay. */
  isLate: boolean;
  /** True where all is to be in sight at first, however small. */
  isWhole?: boolean;
  /** True of a comparison: unchanged lines are pale. */
  isCompared?: boolean;
  /** The drawn sides: they decide the first place of the focus of a large picture. Each change shows it anew. */
  dir: Direction;
  depth: number;
  titles: ReadonlyMap<string, Title>;
  /** Ids to keep in sight while the picture or the pane changes, most important first. */
  inSight: readonly string[];
  path: PathNodes | null;
  isOnPath: (arrow: DrawnArrow) => boolean;
  neighbours: (id: string) => PathNodes;
  draw: (id: string, muted: boolean) => ReactNode;
  label: (id: string) => string;
  onChoose: (id: string, event: { shiftKey: boolean }) => void;
  onClear: () => void;
  /** The text over an empty picture. */
  empty?: ReactNode;
  /** The view's handles: to move the sight, and to read the last layout. */
  handled: RefObject<Handled | null>;
  layout: RefObject<Placed | null>;
}

export function Canvas(props: CanvasProps) {
  return (
    <ReactFlowProvider>
      {props.empty}
      <Flow {...props} />
    </ReactFlowProvider>
  );
}

function Flow(props: CanvasProps) {
  const { boxes, anchor, focus, isWhole = false, path, neighbours, draw } = props;
  const { placed, isCurrent } = usePlaced(
    boxes,
    props.layoutArrows ?? props.arrows,
    anchor,
    props.layout,
    props.perRow ?? 0,
  );
  const { pins, move } = usePins(`${focus} ${isWhole}`);
  const { hovered, enter, leave } = useHover();
  const nodes = useNodes(props, placed, pins);
  const edges = useEdges(props, placed, pins, hovered);
  useSight({ ...props, placed, nodes, isPending: !isCurrent || props.isLate, isWhole });
  useHandled(props.handled);
  const hover = useMemo(() => (hovered === null ? null : neighbours(hovered)), [hovered, neighbours]);
  return (
    <HighlightContext.Provider value={useMemo(() => ({ draw, path, hover }), [draw, path, hover])}>
      <ReactFlow
        {...SETTINGS}
        className={`${useStore(zoomLevel)} settling`}
        nodes={nodes}
        edges={edges}
        onNodesChange={move}
        onNodeClick={(event, node) => props.onChoose(node.id, event)}
        onPaneClick={props.onClear}
        onNodeMouseEnter={enter}
        onNodeMouseLeave={leave}
      >
        {boxes.length > MAPPED_FROM && <SmallPicture nodes={nodes} />}
        <OutsideView nodes={nodes} titles={props.titles} />
      </ReactFlow>
    </HighlightContext.Provider>
  );
}

/** The whole picture, small; none while all of it is in sight, for it covers boxes. */
function SmallPicture({ nodes }: { nodes: Node[] }) {
  const area = useMemo(() => getNodesBounds(nodes), [nodes]);
  const isInSight = useStore(({ transform: [x, y, scale], width, height }) => {
    const [left, top] = [area.x * scale + x, area.y * scale + y];
    return left >= 0 && top >= 0 && left + area.width * scale <= width && top + area.height * scale <= height;
  });
  return isInSight ? null : <MiniMap pannable zoomable ariaLabel="the whole picture, small" />;
}

/** A picture is for looking and moving around, not for editing; the view has its own keys. */
const SETTINGS = {
  nodeTypes: NODE_TYPES,
  edgeTypes: EDGE_TYPES,
  onlyRenderVisibleElements: true,
  nodesConnectable: false,
  elementsSelectable: false,
  edgesFocusable: false,
  nodesFocusable: true,
  minZoom: 0.05,
  maxZoom: 2,
  proOptions: { hideAttribution: true },
  nodeDragThreshold: 4,
  zoomOnDoubleClick: false,
  panOnScroll: false,
  disableKeyboardA11y: true,
  deleteKeyCode: null,
  selectionKeyCode: null,
  multiSelectionKeyCode: null,
};

function useNodes({ boxes, label }: CanvasProps, placed: Placed | null, pins: Pins): Node[] {
  return useMemo(
    () =>
      boxes.flatMap((box) => {
        const at = placed && (pins[box.id] ?? placed.at[box.id]);
        return at ? [toNode(box, at, label(box.id))] : [];
      }),
    [placed, boxes, pins, label],
  );
}

function useEdges(
  { boxes, arrows, path, isOnPath, isCompared }: CanvasProps,
  placed: Placed | null,
  pins: Pins,
  hovered: string | null,
): Edge[] {
  const sizes = useMemo(() => new Map(boxes.map((box) => [box.id, box])), [boxes]);
  return useMemo(() => {
    if (!placed) return [];
    const drawn = arrows.filter(({ from, to }) => placed.at[from] && placed.at[to]);
    const keys = new Set(drawn.map(arrowKey));
    const muted = path !== null || isCompared === true;
    const isLit = (arrow: DrawnArrow) =>
      isOnPath(arrow) || (hovered !== null && (arrow.from === hovered || arrow.to === hovered));
    return drawn.flatMap((arrow) => {
      const { from, to, fromY } = arrow;
      // Two boxes with arrows in both directions get a line with two tips.
      const isDouble = fromY === undefined && keys.has(arrowKey({ from: to, to: from }));
      if (isDouble && isBack(areasOf(placed, sizes, arrow))) return [];
      const lit = isLit(arrow) || (isDouble && isLit({ from: to, to: from }));
      return [toEdge(arrow, { placed, sizes, isDouble, lit, isFree: !pins[from] && !pins[to], muted })];
    });
  }, [placed, arrows, pins, path, isOnPath, isCompared, hovered, sizes]);
}

const HOVER_MS = 100;

/** Return the id of the box, and the handlers of the pointer; a box merely crossed is none. */
function useHover() {
  const [hovered, setHovered] = useState<string | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const enter = (_: unknown, node: Node) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setHovered(node.id), HOVER_MS);
  };
  const leave = () => {
    clearTimeout(timer.current);
    setHovered(null);
  };
  return { hovered, enter, leave };
}

type Pins = Readonly<Record<string, Point>>;

function usePins(picture: string) {
  const [pins, setPins] = useState<Pins>({});
  // biome-ignore lint/correctness/useExhaustiveDependencies: nothing of the old picture is pinned in another
  useEffect(() => setPins({}), [picture]);
  const move = useCallback((changes: NodeChange[]) => {
    for (const change of changes) {
      if (change.type !== "position" || !change.position || !change.dragging) continue;
      const { id, position } = change;
      setPins((now) => ({ ...now, [id]: position }));
    }
  }, []);
  return { pins, move };
}

const PANNED = 0.7;
const SIDES = ["left", "right"] as const;
const WORDS = { left: "source", right: "use" };
const NAMES_MAX = 2,
  NAME_CHARS_MAX = 28;

const rightOf = ({ position, width = 0 }: Node) => position.x + width;

type Titles = ReadonlyMap<string, Title>;

function OutsideView({ nodes, titles }: { nodes: readonly Node[]; titles: Titles }) {
  const flow = useReactFlow();
  const farthest = useMemo(
    () => ({
      left: [...nodes].sort((a, b) => rightOf(a) - rightOf(b)),
      right: [...nodes].sort((a, b) => b.position.x - a.position.x),
    }),
    [nodes],
  );
  // As text, so that equal ones are drawn once.
  const textsIn = useCallback(
    ({ transform: [x, , zoom], width }: ReactFlowState) =>
      SIDES.map((side) => {
        const isOut = (node: Node) =>
          side === "left" ? rightOf(node) * zoom + x < 0 : node.position.x * zoom + x > width;
        return textOf(farthest[side].filter(isOut), WORDS[side], titles);
      }).join("\n"),
    [farthest, titles],
  );
  const texts = useStore(textsIn).split("\n");
  const width = useStore((state) => state.width);
  const pan = (side: (typeof SIDES)[number]) => {
    const { x, y, zoom } = flow.getViewport();
    void flow.setViewport({ x: x + (side === "left" ? PANNED : -PANNED) * width, y, zoom });
  };
  return SIDES.map(
    (side, place) =>
      texts[place] && (
        <button key={side} className={`chip outside ${side}`} onClick={() => pan(side)}>
          {side === "left" && "‹ "}
          <span>{texts[place]}</span>
          {side === "right" && " ›"}
        </button>
      ),
  );
}

/** Return "4 sources beyond: raw.orders, raw.items, …", farthest first; nothing without a box. */
function textOf(outside: readonly Node[], word: string, titles: Titles): string {
  if (!outside.length) return "";
  const names = outside.flatMap(({ id }) => titles.get(id)?.title ?? []).map((name) => cutFront(name, NAME_CHARS_MAX));
  const listed = [...names.slice(0, NAMES_MAX), ...(outside.length > NAMES_MAX ? ["…"] : [])];
  return `${plural(outside.length, word)} beyond: ${listed.join(", ")}`;
}
