/** The picture as SVG, drawn from layout and model: the page itself holds only what is in view. */

import { areasOf, type Box, bendsOf, lowestBetween, type Placed } from "../layout/boxes";
import { isBack, lineOf } from "../layout/path";
import { cutMiddle } from "../model/format";
import { cutFront } from "../model/titles";

export interface Figure extends Box {
  kind: "dataset" | "job" | "fold" | "columns";
  title: string;
  /** The whole name, for a hint on hover. */
  name: string;
  about: string;
  /** The path of its sign. */
  sign: string | null;
  /** A colour's name in `Inks`, of the border. */
  ink: keyof Inks;
  rows?: readonly { text: string; lit: boolean }[];
  dashed?: boolean;
}

const INKS = "canvas card text muted line hair dataset job good bad warn focus".split(" ") as (keyof Inks)[];

export type Inks = Record<
  "canvas" | "card" | "text" | "muted" | "line" | "hair" | "dataset" | "job" | "good" | "bad" | "warn" | "focus",
  string
>;
const MARGIN = 24;

/** The theme's colours as the page has them now. */
export function readInks(): Inks {
  const probe = document.body.appendChild(document.createElement("i"));
  const inks = Object.fromEntries(
    INKS.map((name) => {
      probe.style.color = `var(--${name})`;
      return [name, getComputedStyle(probe).color];
    }),
  );
  probe.remove();
  return inks as unknown as Inks;
}

const escaped = (text: string) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "�");

export function toSvg(
  figures: readonly Figure[],
  arrows: readonly { from: string; to: string; ink?: keyof Inks; dashed?: boolean; fromY?: number; toY?: number }[],
  placed: Placed,
  inks: Inks,
): { text: string; width: number; height: number } {
  const there = figures.filter(({ id }) => placed.at[id]);
  const left = Math.min(...there.map(({ id }) => placed.at[id]!.x)) - MARGIN,
    top = Math.min(...there.map(({ id }) => placed.at[id]!.y)) - MARGIN;
  const width = Math.max(...there.map(({ id, width }) => placed.at[id]!.x + width)) + MARGIN - left;
  const height = Math.max(...there.map(({ id, height }) => placed.at[id]!.y + height)) + MARGIN - top;
  const sizes = new Map(there.map((figure) => [figure.id, figure]));
  const lines = arrows.flatMap(({ from, to, ink = "line", dashed, fromY, toY }) => {
    if (!sizes.has(from) || !sizes.has(to)) return [];
    const areas = areasOf(placed, sizes, { from, to });
    const { path, tips, sign } = lineOf({
      ...areas,
      fromY,
      toY,
      bends: bendsOf(placed, { from, to }),
      lane: placed.lanes[`${from}→${to}`],
      under: isBack(areas) ? lowestBetween(placed, sizes, areas) : 0,
    });
    const back = sign ? `<text x="${sign.x}" y="${sign.y}" fill="${inks[ink]}">↺</text>` : "";
    return [
      `<path d="${path}" fill="none" stroke="${inks[ink]}" stroke-width="1.5"${dashed || sign ? ' stroke-dasharray="4 4"' : ""}/><path d="${tips}" fill="${inks[ink]}"/>${back}`,
    ];
  });
  const boxes = there.map((figure) => drawFigure(figure, placed.at[figure.id]!, inks));
  const text =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${left} ${top} ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, Segoe UI, Roboto, Arial, sans-serif">` +
    `<rect x="${left}" y="${top}" width="${width}" height="${height}" fill="${inks.canvas}"/>${lines.join("")}${boxes.join("")}</svg>`;
  return { text, width, height };
}

function drawFigure(
  { kind, width, height, title, name: whole, about, sign, ink, rows, dashed = kind === "fold" }: Figure,
  { x, y }: { x: number; y: number },
  inks: Inks,
): string {
  const round = kind === "job" ? height / 2 : kind === "fold" ? height / 2 : 10;
  const inner = kind === "job" ? 16 : 12;
  const frame = `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${round}" fill="${inks.card}" stroke="${inks[ink]}" stroke-width="1.5"${dashed ? ' stroke-dasharray="4 3"' : ""}/>`;
  const signed = sign
    ? `<path transform="translate(${x + inner},${y + (rows ? 9 : about ? 10 : height / 2 - 8)})" d="${sign}" fill="none" stroke="${kind === "job" ? inks.job : inks.dataset}" stroke-width="1.5" stroke-linecap="round"/>`
    : "";
  const at = x + inner + (sign ? 23 : 0);
  const lines = linesOf(title, rows ? 1 : 2);
  const first = y + (rows ? 22 : height / 2 + 4.5 - 8 * (lines.length + (about ? 1 : 0) - 1));
  const name = lines
    .map(
      (line, index) =>
        `<text x="${at}" y="${first + 16 * index}" font-size="13" font-weight="600" fill="${inks.text}">${escaped(line)}</text>`,
    )
    .join("");
  const facts = about
    ? `<text x="${at}" y="${first + 16 * lines.length + 1}" font-size="12" fill="${inks.muted}">${escaped(cutFront(about, LINE_CHARS + 4))}</text>`
    : "";
  const body = (rows ?? []).map(
    ({ text, lit }, index) =>
      `<text x="${x + 12}" y="${y + 34 + 26 * index + 17}" font-size="12.5" font-family="ui-monospace, Menlo, Consolas, monospace" font-weight="${lit ? 700 : 400}" fill="${lit ? inks.focus : inks.text}">${escaped(cutMiddle(text, 32))}</text>`,
  );
  return `<g>${whole ? `<title>${escaped(whole)}</title>` : ""}${frame}${signed}${name}${facts}${body.join("")}</g>`;
}

// Of text in a box of 256 pixels.
const LINE_CHARS = 28;

/** Break a title into lines; of one that is too long, its end is kept. */
function linesOf(title: string, most: number): string[] {
  const text = cutFront(title, most * LINE_CHARS);
  return Array.from({ length: Math.ceil(text.length / LINE_CHARS) }, (_, line) =>
    text.slice(line * LINE_CHARS, (line + 1) * LINE_CHARS),
  );
}

const PIXELS_MAX = 8000;

/** The same as PNG, twice as fine as the page where that is not too large. */
export async function toPng(svg: { text: string; width: number; height: number }): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([svg.text], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const scale = Math.min(2, PIXELS_MAX / Math.max(svg.width, svg.height));
    const canvas = Object.assign(document.createElement("canvas"), {
      width: Math.ceil(svg.width * scale),
      height: Math.ceil(svg.height * scale),
    });
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) =>
      canvas.toBlob(
        (blob) => (blob ? resolve(blob) : reject(new Error("the picture is too large for PNG"))),
        "image/png",
      ),
    );
  } finally {
    URL.revokeObjectURL(url);
  }
}
