/** The part of a picture in sight: first all of it or its focus, then the last node acted on. */

import { type Node, type ReactFlowState, useReactFlow, useStore } from "@xyflow/react";
import { type RefObject, useCallback, useEffect, useImperativeHandle, useRef } from "react";

import type { Placed } from "../layout/boxes";
import type { Direction } from "../url/state";
import { coveredBelow, LARGE_FROM, moveIntoSight, showFirst } from "./sight";

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
  return useCallback(() => void flow.fitView({ padding: 0.12, maxZoom: 1, minZoom: 0.05 }), [flow]);
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
