/** The columns as files: the picture as SVG or PNG, the lines as CSV. */

import type { RefObject } from "react";

import type { DrawnArrow } from "../../draw/elements";
import { type Figure, readInks, toSvg } from "../../draw/svg";
import type { Box, Placed } from "../../layout/boxes";
import type { Card } from "../../model/columns";
import { toCsv } from "../../model/csv";
import type { Title } from "../../model/titles";
import { Downloads } from "../../parts/export";
import type { ColumnsPicture } from "./picture";

interface Props {
  picture: ColumnsPicture;
  layout: RefObject<Placed | null>;
  name: string;
}

export function ExportMenu({ picture, layout, name }: Props) {
  const { cards, titles, boxes, arrows, path } = picture;
  const svg = () =>
    layout.current
      ? toSvg(
          cards.map((card, index) => figureOf(card, titles.get(card.id)!, boxes[index]!, path)),
          arrows.map((arrow) => lineOf(arrow, path !== null)),
          layout.current,
          readInks(),
        )
      : null;
  return <Downloads name={name} svg={svg} csv={() => csvOf(picture)} />;
}

function figureOf(card: Card, { title }: Title, { width, height }: Box, path: ReadonlySet<string> | null): Figure {
  return {
    id: card.id,
    width,
    height,
    kind: "columns",
    title,
    name: card.name,
    about: "",
    sign: "dataset",
    ink: card.stale ? "warn" : "dataset",
    rows: card.columns.map(({ id, field }) => ({ text: field, lit: path?.has(id) ?? false })),
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
