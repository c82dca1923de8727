/** The title of a box: as much of its end as its lines hold at the scale of the picture. */

import { useStore } from "@xyflow/react";
import { useMemo } from "react";

import { cutToLines, type Title } from "../model/titles";
import { Name } from "../parts/name";
import { zoomLevel } from "./zoom-level";

// Sizes of the text, as the styles have them.
const SIZES_PX: Readonly<Record<string, number>> = { "zoom-large": 15, "zoom-name": 20 };
const SIZE_PX = 13;

const GAP_PX = 10;

interface Props {
  of: Title;
  width: number;
  lines?: number;
  /** A text at the end of the line, such as an age. */
  beside?: string;
}

export function BoxTitle({ of: { title, alike }, width, lines = 2, beside = "" }: Props) {
  const level = useStore(zoomLevel);
  const cut = useMemo(() => {
    const widthOf = widthIn(SIZES_PX[level] ?? SIZE_PX);
    const room = beside ? width - widthOf(beside) - GAP_PX : width;
    return cutToLines(title, { lines, width: room, widthOf }, alike);
  }, [title, alike, lines, width, level, beside]);
  return (
    <span className="title">
      <span>
        <Name text={cut} />
      </span>
    </span>
  );
}

let measure: CanvasRenderingContext2D | null = null;
let family = "";
let fontSize = 0;

/** Return what measures a bold text of the page's font: read once, for it makes the browser lay out the page. */
function widthIn(size: number): (text: string) => number {
  measure ??= document.createElement("canvas").getContext("2d");
  family ||= getComputedStyle(document.body).fontFamily;
  const context = measure;
  if (!context) return (text) => text.length * size * 0.6;
  if (fontSize !== size) context.font = `700 ${size}px ${family}`;
  fontSize = size;
  return (text) => context.measureText(text).width;
}
