/** The box that the pointer rests on. */

import type { Node } from "@xyflow/react";
import { useRef, useState } from "react";

const HOVER_MS = 100;

/** Return the id of the box, and what the pointer does to it; a box that is only crossed is none. */
export function useHover() {
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
