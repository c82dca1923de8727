/** The picture as SVG, drawn from layout and model: the page itself holds the part in view. */

import { type Box, lineIn, type Placed } from "../layout/boxes";
import { cutMiddle } from "../model/format";
import { breakLines, cutToLines } from "../model/titles";
import type { DrawnArrow } from "./elements";

export interface Figure extends Box {
  kind: "dataset" | "job" | "fold" | "columns" | "round" | "group";
  title: string;
  /** The whole name, for a hint on hover. */
  name: string;
  about: string;
  /** The path of its sign. */
  sign: string | null;
  /** A colour's name in `Inks`, of the border. */
  ink: keyof Inks;
  /** The colour of its state, at the left, and its age. */
  health?: keyof Inks | undefined;
  age?: string;
  isFocus?: boolean;
  rows?: readonly { text: string; lit: boolean; isCopy?: boolean; about?: string }[];
  dashed?: boolean;
}

const INKS = [
  ...(["canvas", "card", "text", "muted", "line", "hair", "dataset", "job"] as const),
  ...(["good", "bad", "warn", "focus", "running"] as const),
];

type Inks = Record<(typeof INKS)[number], string>;
const XMLNS = "http://www.w3.org/2000/svg";
const SANS = 'Inter, Arial, "Liberation Sans", Helvetica, sans-serif';
const MONO = "ui-monospace, Menlo, Consolas, monospace";
const MARGIN = 24;
const HEAD = 56,
  FOOT = 32;

/** The words around a picture: its title, its time, its colours. */
export interface Caption {
  title: string;
  time: string;
  legend: readonly (readonly [keyof Inks, string])[];
}

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

/** The rule of the page's font, with its bytes: a saved picture has the letters that were measured, on each machine. */
function fontRule(): string {
  const rules = [...document.styleSheets].flatMap(({ cssRules }) => [...cssRules]);
  return rules.find((rule) => rule instanceof CSSFontFaceRule)?.cssText ?? "";
}

const escaped = (text: string) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "�");

type Attributes = Record<string, string | number | undefined>;

/** An element as text; an attribute without a value is left out. */
function tag(name: string, attributes: Attributes, inner = ""): string {
  const given = Object.entries(attributes).filter(([, value]) => value !== undefined);
  const head = [name, ...given.map(([key, value]) => `${key}="${value}"`)].join(" ");
  return inner ? `<${head}>${inner}</${name}>` : `<${head}/>`;
}

export function toSvg(
  figures: readonly Figure[],
  arrows: readonly (Pick<DrawnArrow, "from" | "to" | "fromY" | "toY" | "mark"> & {
    ink?: keyof Inks;
    dashed?: boolean;
  })[],
  placed: Placed,
  inks: Inks,
  caption: Caption,
): Drawing {
  const there = figures.filter(({ id }) => placed.at[id]);
  let left = Math.min(...there.map(({ id }) => placed.at[id]!.x)) - MARGIN,
    top = Math.min(...there.map(({ id }) => placed.at[id]!.y)) - MARGIN - HEAD;
  let width = Math.max(...there.map(({ id, width }) => placed.at[id]!.x + width)) + MARGIN - left;
  const height = Math.max(...there.map(({ id, height }) => placed.at[id]!.y + height)) + MARGIN + FOOT - top;
  const least = LEGEND_PX * caption.legend.length + 2 * MARGIN;
  if (width < least) left -= (least - width) / 2;
  width = Math.max(width, least);
  const sizes = new Map(there.map((figure) => [figure.id, figure]));
  const lines = arrows.flatMap(({ from, to, ink = "line", dashed, fromY, toY, mark }) => {
    if (!sizes.has(from) || !sizes.has(to)) return [];
    const { path, tips, sign, middle } = lineIn(placed, sizes, { from, to, fromY, toY });
    const end = { ...sizes.get(to)!, ...placed.at[to]! };
    const at = mark?.isMiddle ? middle : { x: end.x - 22, y: end.y + (toY ?? end.height / 2) - 11 };
    const halo = { stroke: inks.canvas, "stroke-width": 4, "paint-order": "stroke" };
    const bold = { "font-size": 13, "font-weight": 600, "text-anchor": "middle", fill: inks.text };
    const stroke = { stroke: inks[ink], "stroke-width": 1.5, "stroke-dasharray": dashed || sign ? "4 4" : undefined };
    return [
      tag("path", { d: path, fill: "none", ...stroke }),
      tag("path", { d: tips, fill: inks[ink] }),
      sign ? tag("text", { x: sign.x, y: sign.y, fill: inks[ink] }, "↺") : "",
      mark ? tag("text", { x: at.x, y: at.y + 4, ...bold, ...halo }, escaped(mark.sign)) : "",
    ];
  });
  const boxes = there.map((figure) => drawFigure(figure, placed.at[figure.id]!, inks));
  const root = {
    xmlns: XMLNS,
    viewBox: `${left} ${top} ${width} ${height}`,
    width,
    height,
    "font-family": escaped(SANS),
  };
  const ground = tag("rect", { x: left, y: top, width, height, fill: inks.canvas });
  const drawn = [
    tag("style", {}, fontRule()),
    ground,
    ...lines,
    ...boxes,
    drawCaption(caption, { left, top, height }, inks),
  ];
  return { text: tag("svg", root, drawn.join("")), width, height };
}

const LEGEND_PX = 110;

function drawCaption({ title, time, legend }: Caption, at: { left: number; top: number; height: number }, inks: Inks) {
  const [x, y, foot] = [at.left + MARGIN, at.top + 30, at.top + at.height - 18];
  const small = { size: 12, fill: inks.muted };
  const keys = legend.flatMap(([ink, word], place) => [
    tag("rect", { x: x + LEGEND_PX * place, y: foot - 10, width: 4, height: 14, fill: inks[ink] }),
    textAt(x + LEGEND_PX * place + 10, foot, word, small),
  ]);
  const head = textAt(x, y, title, { size: 17, weight: 700, fill: inks.text });
  return [head, textAt(x, y + 19, time, small), ...keys].join("");
}

interface Type {
  size: number;
  fill: string;
  weight?: number;
  end?: boolean;
}

const textAt = (x: number, y: number, text: string, { size, fill, weight = 400, end = false }: Type) =>
  tag(
    "text",
    { x, y, "font-size": size, "font-weight": weight, fill, "text-anchor": end ? "end" : undefined },
    escaped(text),
  );

function drawFigure(figure: Figure, { x, y }: { x: number; y: number }, inks: Inks): string {
  const { kind, width, height, name: whole, sign, ink, rows, health, isFocus, dashed = kind === "fold" } = figure;
  const round = kind === "job" || kind === "fold" || kind === "round" ? height / 2 : 10;
  const inner = kind === "round" ? 3 : kind === "job" ? 16 : 12;
  const fill = isFocus ? `color-mix(in srgb, ${inks.focus} 14%, ${inks.card})` : inks.card;
  const stroke = (colour: string) => ({ stroke: colour, "stroke-width": 1.5 });
  const border = { ...stroke(inks[isFocus ? "focus" : ink]), "stroke-dasharray": dashed ? "4 3" : undefined };
  const frame = tag("rect", { x, y, width, height, rx: round, style: `fill:${fill}`, ...border });
  const bar =
    health && kind !== "round" ? tag("rect", { x, y: y + 9, width: 4, height: height - 18, fill: inks[health] }) : "";
  const top =
    y + (rows ? 9 : kind === "group" ? height / 2 - 16 : kind !== "round" && figure.about ? 10 : height / 2 - 8);
  const line = { fill: "none", ...stroke(inks[kind === "job" || kind === "round" ? "job" : "dataset"]) };
  const place = { transform: `translate(${x + inner},${top})`, "stroke-linecap": "round" };
  const signed = sign ? tag("path", { d: sign, ...place, ...line }) : "";
  const texts = kind === "round" ? "" : drawTexts(figure, { x, y, at: x + inner + (sign ? 23 : 0) }, inks);
  const title = whole ? tag("title", {}, escaped(whole)) : "";
  return tag("g", {}, `${title}${frame}${bar}${signed}${texts}`);
}

function drawTexts(
  { width, height, title, about, rows = [], age = "", health }: Figure,
  { x, y, at }: { x: number; y: number; at: number },
  inks: Inks,
): string {
  const right = x + width - 12;
  const widthOf = widthIn(13, SANS);
  const room = { width: right - at, widthOf, taken: age ? widthOf(age) + 10 : 0 };
  const lines = breakLines(cutToLines(title, { ...room, lines: rows.length ? 1 : 2 }), room);
  const first = y + (rows.length ? 22 : height / 2 + 4.5 - 8 * (lines.length + (about ? 1 : 0) - 1));
  const small = { width: right - at, lines: 1, widthOf: (text: string) => widthOf(text) * 0.9 };
  const bold = { size: 13, weight: 600, fill: inks.text };
  return [
    ...lines.map((line, index) => textAt(at, first + 16 * index, line.trimEnd(), bold)),
    age &&
      textAt(right, first, age, {
        size: 12,
        fill: inks[health === "bad" || health === "warn" ? health : "muted"],
        end: true,
      }),
    about && textAt(at, first + 16 * lines.length + 1, cutToLines(about, small), { size: 12, fill: inks.muted }),
    ...rows.map(({ text, lit, isCopy, about }, index) => {
      const ink = { "font-weight": lit ? 700 : 400, fill: lit ? inks.focus : isCopy ? inks.muted : inks.text };
      const at = { y: y + 34 + 26 * index + 17, "font-size": 12.5, "font-family": MONO };
      const end = { x: right, "text-anchor": "end", fill: inks.muted };
      return [
        tag("text", { x: x + 12, ...at, ...ink }, escaped(cutMiddle(text, 32))),
        about ? tag("text", { ...at, "font-size": 11, ...end }, escaped(about)) : "",
      ].join("");
    }),
  ].join("");
}

export interface Drawing {
  text: string;
  width: number;
  height: number;
}

const WIDE = 16 / 9;

/** Widen a picture to 16:9, for a slide. */
export function toWide({ text, width, height }: Drawing): Drawing {
  const wide = { width: Math.max(width, height * WIDE), height: Math.max(height, width / WIDE) };
  const ground = /fill="([^"]+)"\/>/.exec(text)?.[1] ?? "none";
  const inner = text.replace("<svg ", `<svg x="${(wide.width - width) / 2}" y="${(wide.height - height) / 2}" `);
  return {
    ...wide,
    text: tag("svg", { xmlns: XMLNS, ...wide }, tag("rect", { width: "100%", height: "100%", fill: ground }) + inner),
  };
}

const PIXELS_MAX = 8000;

/** Draw a picture as PNG, twice as fine as the page, up to a limit of pixels. */
export async function toPng(svg: Drawing): Promise<Blob> {
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

let measure: CanvasRenderingContext2D | null = null;
let ofPage = "";
let last = "";

/** Return what measures a bold text. The page's font is read once, for it makes the browser lay out the page. */
export function widthIn(size: number, family = ""): (text: string) => number {
  measure ??= document.createElement("canvas").getContext("2d");
  const context = measure;
  if (!context) return (text) => text.length * size * 0.6;
  ofPage ||= getComputedStyle(document.body).fontFamily;
  const font = `700 ${size}px ${family || ofPage}`;
  return (text) => {
    if (font !== last) context.font = font;
    last = font;
    return context.measureText(text).width;
  };
}
