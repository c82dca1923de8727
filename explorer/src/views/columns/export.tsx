/** The columns as files: the picture as SVG or PNG, the lines as CSV. */

import type { RefObject } from "react";

import type { DrawnArrow } from "../../draw/elements";
import { type Figure, readInks, toSvg } from "../../draw/svg";
import type { Box, Placed } from "../../layout/boxes";
import { toCsv } from "../../model/csv";
import { utc } from "../../model/format";
import { Downloads } from "../../parts/export";
import { pathOfKind } from "../../parts/signs";
import { aboutRow } from "./card";
import { usedFor } from "./indirect";
import type { ColumnsPicture } from "./picture";

interface Props {
  picture: ColumnsPicture;
  layout: RefObject<Placed | null>;
  name: string;
  /** Id of the dataset in focus. */
  focus: string;
  /** The time on show; empty for now. */
  at: string;
}

const LEGEND = [
  ["focus", "on the path"],
  ["text", "computed"],
  ["muted", "copied"],
  ["warn", "late"],
] as const;

export function ExportMenu({ picture, layout, name, focus, at }: Props) {
  const { boxes, arrows, path } = picture;
  const svg = () =>
    layout.current
      ? toSvg(
          boxes.map((box) => figureOf(picture, box, focus)),
          arrows.map((arrow) => lineOf(arrow, path !== null)),
          layout.current,
          readInks(),
          { title: name, time: `as of ${utc(at || new Date().toISOString())} UTC`, legend: LEGEND },
        )
      : null;
  return <Downloads name={name} svg={svg} csv={() => csvOf(picture)} />;
}

function figureOf(picture: ColumnsPicture, { id, width, height }: Box, focus: string): Figure {
  const { cards, indirect, titles, path, formulas, freshness } = picture;
  const card = cards.find((other) => other.id === id);
  const source = indirect.find((other) => other.id === id);
  const shared = {
    id,
    width,
    height,
    title: titles.get(id)!.title,
    sign: pathOfKind("dataset", (card ?? source)!.namespace),
  };
  if (!card) {
    const about = source ? usedFor(source) : "";
    return { ...shared, kind: "dataset", name: source?.name ?? "", about, ink: "dataset", dashed: true };
  }
  return {
    ...shared,
    kind: "columns",
    name: card.name,
    about: "",
    ink: card.stale ? "warn" : "dataset",
    isFocus: id === focus,
    health: freshness?.has(id) ? "warn" : undefined,
    rows: [
      ...(card.filter === null ? [] : [{ text: "", lit: false }]),
      ...card.columns.map(({ id, field, type }) => {
        const [lit, formula] = [path?.has(id) ?? false, formulas.get(id)];
        return { text: field, lit, isCopy: formula === "", about: aboutRow(field, type, lit ? (formula ?? "") : "") };
      }),
    ],
  };
}

const lineOf = ({ look, ...arrow }: DrawnArrow, isLit: boolean) => ({
  ...arrow,
  dashed: look?.includes("is-indirect") ?? false,
  ink: isLit ? ("focus" as const) : ("line" as const),
});

const csvOf = ({ kept, path }: ColumnsPicture): string =>
  toCsv(
    ["source", "column", "direct", "masked", "transformations"],
    kept
      .filter(({ from, to }) => !path || (path.has(from) && path.has(to)))
      .map(({ from, to, direct, masked, steps }) => [
        from,
        to,
        direct,
        masked,
        steps.map((step) => step.description || step.kind).join("; "),
      ]),
  );
