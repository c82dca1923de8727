/** The map as files: the picture as SVG or PNG, the list as CSV. */

import { CARD } from "../../draw/card";
import { FOLD, moreOf, STUB } from "../../draw/fold-box";
import { type Figure, readInks, toSvg } from "../../draw/svg";
import type { Placed } from "../../layout/boxes";
import type { Comparison } from "../../model/compare";
import { toCsv } from "../../model/csv";
import { agoShort } from "../../model/format";
import { type Arrow, arrowKey, type Item } from "../../model/graph";
import { drawnArrows } from "../../model/hubs";
import { rowsOf } from "../../model/list";
import type { Title } from "../../model/titles";
import { Downloads } from "../../parts/export";
import { pathOfKind } from "../../parts/signs";
import type { MapPicture } from "./picture";

const INK = { added: "good", removed: "bad", changed: "warn", joined: "muted" } as const;

interface Props {
  picture: MapPicture;
  layout: React.RefObject<Placed | null>;
  name: string;
  comparison: Comparison | null;
}

export function ExportMenu({ picture, layout, name, comparison }: Props) {
  const svg = () =>
    layout.current
      ? toSvg(
          figuresOf(picture, comparison),
          drawnArrows(picture.shown).map((arrow) => lineOf(arrow, comparison)),
          layout.current,
          readInks(),
        )
      : null;
  return <Downloads name={name} svg={svg} csv={() => csvOf(picture, comparison)} />;
}

function figuresOf({ lineage, shown, titles }: MapPicture, comparison: Comparison | null): Figure[] {
  const items = [...shown.hops.keys()].flatMap((id) => lineage.items.get(id) ?? []);
  const plain = { name: "", about: "", sign: null, kind: "fold" as const };
  return [
    ...items.map((item) => figureOf(item, titles.get(item.id)!, comparison)),
    ...shown.folds.map((fold): Figure => ({ ...plain, id: fold.id, ...FOLD, title: moreOf(fold), ink: "line" })),
    ...shown.stubs.map(
      ({ id, hub }): Figure => ({
        ...plain,
        id,
        ...STUB,
        title: `⊣ ${titles.get(hub)?.title ?? ""}`,
        name: lineage.items.get(hub)?.name ?? "",
        ink: "dataset",
      }),
    ),
  ];
}

function figureOf(item: Item, { title, place }: Title, comparison: Comparison | null): Figure {
  const change = comparison?.changes.get(item.id);
  const state = item.state
    ? `${item.state.toLowerCase()} ${agoShort(item.endedAt ?? item.startedAt, Date.now())}`
    : "never ran";
  return {
    id: item.id,
    ...CARD,
    kind: item.kind,
    title,
    name: item.name,
    sign: pathOfKind(item.kind, item.namespace),
    about: item.kind === "job" ? state : `${item.stale ? "stale · " : ""}${place}`,
    ink: change ? INK[change] : inkOf(item),
  };
}

function inkOf(item: Item): Figure["ink"] {
  if (item.state === "FAILED" || item.state === "ABORTED") return "bad";
  return item.stale ? "warn" : item.kind;
}

function lineOf(arrow: Arrow, comparison: Comparison | null) {
  const look = comparison?.arrows.get(arrowKey(arrow));
  return {
    ...arrow,
    ink: look === "is-added" ? ("good" as const) : look === "is-removed" ? ("bad" as const) : ("line" as const),
    dashed: look === "is-removed" || arrow.isControl === true,
  };
}

function csvOf({ lineage, shown }: MapPicture, comparison: Comparison | null): string {
  return toCsv(
    ["hops", "kind", "namespace", "name", "state", "stale", "last", "inputs", "outputs", "change", "details"],
    rowsOf(lineage, shown.hops, comparison).map(({ item, hops, inputs, outputs, change, details }) => [
      hops,
      item.kind,
      item.namespace,
      item.name,
      item.state,
      item.stale,
      item.touchedAt,
      inputs,
      outputs,
      change,
      details.join("; "),
    ]),
  );
}
