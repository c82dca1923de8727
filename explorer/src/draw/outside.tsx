/** The boxes of a picture out of sight to the left and to the right: their number, the farthest names, a way there. */

import { type Node, type ReactFlowState, useReactFlow, useStore } from "@xyflow/react";
import { useCallback, useMemo } from "react";

import { plural } from "../model/format";
import { cutFront, type Title } from "../model/titles";

import "./outside.css";

const PANNED = 0.7;
const SIDES = ["left", "right"] as const;
const WORDS = { left: "source", right: "use" };
const NAMES_MAX = 2,
  NAME_CHARS_MAX = 28;

const rightOf = ({ position, width = 0 }: Node) => position.x + width;

type Titles = ReadonlyMap<string, Title>;

export function OutsideView({ nodes, titles }: { nodes: readonly Node[]; titles: Titles }) {
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
