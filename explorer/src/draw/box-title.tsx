/** The title of a box: as much of its end as its lines hold at the scale of the picture. */

import { useStore } from "@xyflow/react";
import { useMemo } from "react";

import { cutToLines } from "../model/titles";
import { Name } from "../parts/name";
import { zoomLevel } from "./zoom-level";

// Sizes of the text, as the styles have them.
const SIZES_PX: Readonly<Record<string, number>> = { "zoom-large": 15, "zoom-name": 20 };
const SIZE_PX = 13;

export function BoxTitle({ text, width, lines = 2 }: { text: string; width: number; lines?: 1 | 2 }) {
  const level = useStore(zoomLevel);
  const cut = useMemo(
    () => cutToLines(text, lines, width, widthIn(SIZES_PX[level] ?? SIZE_PX)),
    [text, lines, width, level],
  );
  return (
    <span className="title">
      <span>
        <Name text={cut} />
      </span>
    </span>
  );
}

let measure: CanvasRenderingContext2D | null = null;

/** Return what measures a bold text of the page's font. */
function widthIn(size: number): (text: string) => number {
  measure ??= document.createElement("canvas").getContext("2d");
  if (!measure) return (text) => text.length * size * 0.6;
  const context = measure;
  context.font = `700 ${size}px ${getComputedStyle(document.body).fontFamily}`;
  return (text) => context.measureText(text).width;
}
