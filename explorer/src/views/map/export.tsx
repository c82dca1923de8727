/** The map as files: the picture as SVG or PNG, the list as CSV. */

import { CARD } from "../../draw/card";
import type { DrawnArrow } from "../../draw/elements";
import { FOLD, moreOf, STUB } from "../../draw/fold-box";
import { GROUP, sizeOf } from "../../draw/group-box";
import { ROUND } from "../../draw/round-job";
import type { Figure } from "../../draw/svg";
import type { Comparison } from "../../model/compare";
import { toCsv } from "../../model/csv";
import { age, agoShort } from "../../model/format";
import { healthOf, troubleOf, writtenAt } from "../../model/freshness";
import { type Arrow, arrowKey, type Item } from "../../model/graph";
import { rowsOf } from "../../model/list";
import { Downloads } from "../../parts/export";
import { pathOfKind } from "../../parts/signs";
import { nameOf } from "../../url/ids";
import type { OpenMap } from "./open-map";
import type { MapPicture } from "./picture";

const INK = { added: "good", removed: "bad", changed: "warn", joined: "muted" } as const;

const INK_OF = { failed: "bad", late: "warn", running: "running", fresh: "good", unknown: "line" } as const;
const LEGEND = [
  ["bad", "failed"],
  ["warn", "late"],
  ["running", "running"],
  ["good", "fresh"],
  ["line", "unknown"],
] as const;

export function ExportMenu({ map: { state, data, picture, layout } }: { map: OpenMap }) {
  const { comparison } = data;
  const draw = () =>
    [figuresOf(picture, comparison), picture.arrows.map((arrow) => lineOf(arrow, comparison))] as const;
  return (
    <Downloads
      name={picture.focus ? nameOf(picture.focus).name : "all jobs"}
      picture={{ layout, at: state.at, legend: LEGEND, draw }}
      csv={() => csvOf(picture, comparison)}
    />
  );
}

function figuresOf(picture: MapPicture, comparison: Comparison | null): Figure[] {
  const { lineage, shown, titles, grouped } = picture;
  const items = [...shown.hops.keys()].flatMap((id) => lineage.items.get(id) ?? []);
  const plain = { name: "", about: "", sign: null, kind: "fold" as const };
  return [
    ...items.map((item) => figureOf(item, picture, comparison)),
    ...[...(grouped?.groups.values() ?? [])].map(
      (group): Figure => ({
        ...{ ...plain, kind: "group", id: group.id, ...GROUP, title: group.title, name: group.title, ink: "line" },
        ...{
          about: `${sizeOf(group)}${group.healths.failed ? ` · ${group.healths.failed} failed` : ""}`,
          sign: pathOfKind("dataset", group.namespace),
        },
        health: group.healths.failed ? "bad" : undefined,
      }),
    ),
    ...shown.folds.map((fold): Figure => ({ ...plain, id: fold.id, ...FOLD, title: moreOf(fold), ink: "line" })),
    ...shown.stubs.map(
      ({ id, hub }): Figure => ({
        ...plain,
        id,
        ...STUB,
        title: `⊣ ${titles.get(hub)?.title ?? ""}`,
        name: lineage.items.get(hub)?.name ?? "",
        ink: "dataset",
        dashed: false,
      }),
    ),
  ];
}

function figureOf(item: Item, picture: MapPicture, comparison: Comparison | null): Figure {
  const { title, place } = picture.titles.get(item.id)!;
  const isRound = picture.onLines.has(item.id);
  const freshness = picture.freshness.get(item.id);
  const { health, since } = healthOf(item, writtenAt(item, freshness), freshness);
  const change = comparison?.changes.get(item.id);
  const state = item.state
    ? `${item.state.toLowerCase()} ${agoShort(item.endedAt ?? item.startedAt, Date.now())}`
    : "never ran";
  return {
    id: item.id,
    ...(isRound ? ROUND : CARD),
    kind: isRound ? "round" : item.kind,
    health: INK_OF[health],
    age: since ? age(since, Date.now()) : "",
    isFocus: item.id === picture.focus,
    title,
    name: item.name,
    sign: pathOfKind(item.kind, item.namespace),
    about:
      item.kind === "job" ? state : [item.stale && "stale", place, troubleOf(freshness)].filter(Boolean).join(" · "),
    ink: change ? INK[change] : isRound ? INK_OF[health] : inkOf(item),
  };
}

function inkOf(item: Item): Figure["ink"] {
  if (item.state === "FAILED" || item.state === "ABORTED") return "bad";
  return item.stale ? "warn" : item.kind;
}

function lineOf(arrow: DrawnArrow & Arrow, comparison: Comparison | null) {
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
