/** The columns as files: the picture as SVG or PNG, the lines as CSV. */

import type { DrawnArrow } from "../../draw/elements";
import type { Figure } from "../../draw/svg";
import type { Box } from "../../layout/boxes";
import { toCsv } from "../../model/csv";
import { Downloads } from "../../parts/export";
import { pathOfKind } from "../../parts/signs";
import { datasetOf, nameOf } from "../../url/ids";
import { aboutRow, usedFor } from "./card";
import type { OpenColumns } from "./open-columns";
import type { ColumnsPicture } from "./picture";

const LEGEND = [
  ["focus", "on the path"],
  ["text", "computed"],
  ["muted", "copied"],
  ["warn", "late"],
] as const;

export function ExportMenu({ columns: { state, picture, layout } }: { columns: OpenColumns }) {
  const name = nameOf(state.node);
  const draw = () =>
    [
      picture.boxes.map((box) => figureOf(picture, box, datasetOf(state.node))),
      picture.arrows.map((arrow) => lineOf(arrow, picture.path !== null)),
    ] as const;
  return (
    <Downloads
      name={name.field ?? name.name}
      picture={{ layout, at: state.at, legend: LEGEND, draw }}
      csv={() => csvOf(picture)}
    />
  );
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
