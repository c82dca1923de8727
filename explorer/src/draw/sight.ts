/** The layout of a picture, computed beside the page, and its part in sight: all, the focus, or the last node used. */

import { getNodesBounds, type Node, type ReactFlowState, useReactFlow, useStore } from "@xyflow/react";
import { type RefObject, useCallback, useEffect, useImperativeHandle, useMemo, useRef, useState } from "react";
import { anchored, type Box, type Placed } from "../layout/boxes";
import { place } from "../layout/place";
import type { Direction } from "../url/state";

// From this scale on, all of the picture is in sight at first, with names of 11 pixels; below, the focus is, readable.
const FIT_FROM = 0.55;
const READ_AT = 0.88;
const PAN_MS = 500;
// The margin around boxes moved into sight.
const MARGIN = 24;
// The room of the buttons below the picture.
const BELOW = 56;

type FlowOf = ReturnType<typeof useReactFlow>;

const areaOf = ({ position: { x, y }, width = 0, height = 0 }: Node) => ({
  left: x,
  right: x + width,
  top: y,
  bottom: y + height,
});

/** Show all of a graph where its names can be read; else the focus, at the edge where nothing follows. */
function showFirst(flow: FlowOf, nodes: readonly Node[], focus: string, dir: Direction): void {
  const pane = document.querySelector(".react-flow")?.getBoundingClientRect();
  const { x: left, y: top, width, height } = getNodesBounds([...nodes]);
  const scale = pane ? Math.min((pane.width * 0.92) / width, (pane.height * 0.93 - BELOW) / height, 1) : 1;
  const on = nodes.find((node) => node.id === focus);
  if (scale >= FIT_FROM || !on || !pane) {
    const zoom = Math.max(scale, 0.05);
    void flow.setCenter(left + width / 2, top + height / 2 + (BELOW - MARGIN) / 2 / zoom, { zoom });
    return;
  }
  const at = areaOf(on),
    half = pane.width / READ_AT / 2 - 2 * MARGIN;
  const x = dir === "up" ? at.right - half : dir === "down" ? at.left + half : (at.left + at.right) / 2;
  void flow.setCenter(x, (at.top + at.bottom) / 2, { zoom: READ_AT });
}

/** Pan by as little as brings boxes into the pane; the first of them above all. */
function moveIntoSight(flow: FlowOf, ids: readonly string[]): void {
  const pane = document.querySelector(".react-flow")?.getBoundingClientRect();
  const areas = ids.flatMap((id) => flow.getNode(id) ?? []).map(areaOf);
  if (!pane || !areas.length) return;
  const { x, y, zoom } = flow.getViewport();
  let dx = 0,
    dy = 0;
  for (const area of [...areas].reverse()) {
    dx += shift(area.left * zoom + x + dx, area.right * zoom + x + dx, pane.width);
    dy += shift(area.top * zoom + y + dy, area.bottom * zoom + y + dy, pane.height);
  }
  if (Math.abs(dx) + Math.abs(dy) < 1) return;
  const duration = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : PAN_MS;
  void flow.setViewport({ x: x + dx, y: y + dy, zoom }, { duration });
}

/** Return how many pixels of the pane a panel covers from below, as its sheet does on a phone. */
function coveredBelow(): number {
  const pane = document.querySelector(".react-flow")?.getBoundingClientRect();
  const panel = document.querySelector(".side")?.getBoundingClientRect();
  if (!pane || !panel || panel.left >= pane.right) return 0;
  return Math.max(0, pane.bottom - Math.max(panel.top, pane.top));
}

/** Return by how much a stretch has to move to lie within `0` and `size`. */
function shift(from: number, to: number, size: number): number {
  if (from < MARGIN) return MARGIN - from;
  return to > size - MARGIN ? Math.max(size - MARGIN - to, MARGIN - from) : 0;
}

/** The least scales at which a box has all its text, larger text, or its name alone. */
const FULL_FROM = 0.88;
const LARGE_FROM = 0.74;
const NAME_FROM = 0.25;

export function zoomLevel({ transform: [, , scale] }: ReactFlowState): string {
  if (scale >= FULL_FROM) return "zoom-full";
  if (scale >= LARGE_FROM) return "zoom-large";
  return scale >= NAME_FROM ? "zoom-name" : "zoom-block";
}

/** A view's handle on the sight of its picture. */
export interface Handled {
  fit: () => void;
  center: (id: string) => void;
  focusNode: (id: string) => void;
  zoom: (factor: number) => void;
}

interface Sight {
  placed: Placed | null;
  nodes: readonly Node[];
  /** True while the places belong to other boxes. */
  isPending: boolean;
  focus: string;
  dir: Direction;
  depth: number;
  isWhole: boolean;
  inSight: readonly string[];
}

const paneSize = ({ width, height }: ReactFlowState) => `${width} ${height}`;

export function useSight({ placed, nodes, isPending, focus, dir, depth, isWhole, inSight }: Sight): void {
  const flow = useReactFlow();
  const fit = useFit();
  const pane = useStore(paneSize);
  // The first layout on show; of a whole picture, the last layout after *Fit*.
  const settled = useRef<Placed | null>(null),
    fitted = useRef("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new focus, side or depth is shown anew
  useEffect(() => {
    settled.current = null;
  }, [focus, dir, depth, isWhole]);
  useEffect(() => {
    if (!placed || isPending || !nodes.length) return;
    // A panel may open or close beside a whole picture, and change its pane.
    if (isWhole ? settled.current === placed && fitted.current === pane : settled.current !== null) return;
    settled.current = placed;
    fitted.current = pane;
    if (isWhole) fit();
    else showFirst(flow, nodes, focus, dir);
    performance.mark("map-drawn");
  }, [placed, isPending, nodes, flow, focus, dir, isWhole, fit, pane]);
  const sighted = inSight.join("\n");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the pane's size decides what is in sight
  useEffect(() => {
    // Not before the first sight, and after the new boxes are known.
    if (!placed || !settled.current || isWhole) return;
    const frame = requestAnimationFrame(() => moveIntoSight(flow, sighted.split("\n")));
    return () => cancelAnimationFrame(frame);
  }, [placed, pane, sighted, flow, isWhole]);
}

function useFit() {
  const flow = useReactFlow();
  return useCallback(
    () => void flow.fitView({ padding: { x: 0.05, top: 0.05, bottom: `${BELOW}px` }, maxZoom: 1, minZoom: 0.05 }),
    [flow],
  );
}

/** Let a view move the sight. */
export function useHandled(handled: RefObject<Handled | null>): void {
  const flow = useReactFlow();
  const fit = useFit();
  useImperativeHandle(
    handled,
    () => ({
      fit,
      center: (id) => {
        const node = flow.getNode(id);
        if (!node) return;
        const { position, width = 0, height = 0 } = node;
        const zoom = Math.max(flow.getZoom(), LARGE_FROM);
        const below = coveredBelow() / zoom;
        void flow.setCenter(position.x + width / 2, position.y + (height + below) / 2, { zoom });
      },
      focusNode: (id) =>
        document
          .querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"]`)
          ?.focus({ preventScroll: true }),
      zoom: (factor) => void (factor > 1 ? flow.zoomIn() : flow.zoomOut()),
    }),
    [fit, flow],
  );
}

/** The layout of the boxes; the `last` one stays until the next is there, and the anchor stays where it was. */
export function usePlaced(
  boxes: readonly Box[],
  arrows: readonly { from: string; to: string }[],
  anchor: string,
  last: RefObject<Placed | null>,
  perRow: number,
): { placed: Placed | null; isCurrent: boolean } {
  const [{ placed, of }, setPlaced] = useState<{ placed: Placed | null; of: string }>({ placed: null, of: "" });
  const key = useMemo(
    () =>
      JSON.stringify([
        boxes.map(({ id, width, height }) => [id, width, height]).sort(),
        arrows.map(({ from, to }) => [from, to]).sort(),
        perRow,
      ]),
    [boxes, arrows, perRow],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says all that the layout depends on
  useEffect(() => {
    if (!boxes.length) return;
    const stop = new AbortController();
    const { at = {}, lanes = {} } = last.current ?? {};
    // The heights of rows say nothing of a rank.
    const isOfRows = perRow > 0 || Object.keys(lanes).length > 0;
    const heights = isOfRows ? {} : Object.fromEntries(Object.entries(at).map(([id, { y }]) => [id, y]));
    place(
      {
        boxes: boxes.map(({ id, width, height, isLast = false }) => ({ id, width, height, isLast })),
        arrows: arrows.map(({ from, to }) => ({ from, to })),
        last: heights,
        perRow,
      },
      stop.signal,
    )
      .then((layout) => {
        last.current = anchored(layout, anchor, last.current?.at[anchor]);
        setPlaced({ placed: last.current, of: key });
      })
      .catch((error: unknown) => {
        if (!stop.signal.aborted) throw error;
      });
    return () => stop.abort();
  }, [key]);
  return { placed, isCurrent: of === key };
}
