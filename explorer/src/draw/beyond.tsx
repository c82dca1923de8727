/** How many boxes of a picture are out of sight to the left and to the right, with a way there. */

import { type Node, type ReactFlowState, useReactFlow, useStore } from "@xyflow/react";
import { useCallback } from "react";

import { count } from "../model/format";

const PANNED = 0.7;
const SIDES = ["left", "right"] as const;

export function Beyond({ nodes }: { nodes: readonly Node[] }) {
  const flow = useReactFlow();
  const counts = useStore(useCallback((state: ReactFlowState) => countBeyond(nodes, state), [nodes])).split(" ");
  const pan = (side: (typeof SIDES)[number]) => {
    const { x, y, zoom } = flow.getViewport();
    const width = document.querySelector(".react-flow")?.clientWidth ?? 0;
    void flow.setViewport({ x: x + (side === "left" ? PANNED : -PANNED) * width, y, zoom });
  };
  return SIDES.map(
    (side, place) =>
      counts[place] !== "0" && (
        <button key={side} className={`chip beyond ${side}`} onClick={() => pan(side)}>
          {side === "left" && "‹ "}
          {count(Number(counts[place]))} to the {side}
          {side === "right" && " ›"}
        </button>
      ),
  );
}

/** The numbers of boxes that are wholly out of sight on each side, as text, so that equal ones are drawn once. */
function countBeyond(nodes: readonly Node[], { transform: [x, , zoom], width }: ReactFlowState): string {
  const left = nodes.filter((node) => (node.position.x + (node.width ?? 0)) * zoom + x < 0).length;
  const right = nodes.filter((node) => node.position.x * zoom + x > width).length;
  return `${left} ${right}`;
}
