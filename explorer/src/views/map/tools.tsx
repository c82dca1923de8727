/** The tools of a map, chips of what it leaves out, and the map as files. */

import { CARD } from "../../draw/card";
import type { DrawnArrow } from "../../draw/elements";
import { FOLD, moreOf, ROUND, STUB } from "../../draw/fold-box";
import { GROUP, sizeOf } from "../../draw/group-box";
import { ListButton, ReachChoice } from "../../draw/picture-view";
import type { Figure } from "../../draw/svg";
import { type Comparison, rowsOf } from "../../model/compare";
import { toCsv } from "../../model/csv";
import { age, agoShort, plural } from "../../model/format";
import { healthOf, troubleOf, writtenAt } from "../../model/freshness";
import { type Arrow, arrowKey, type Item } from "../../model/graph";
import { Button, Chip, LinkButton, Menu, Select } from "../../parts/controls";
import { Downloads } from "../../parts/export";
import { pathOfKind } from "../../parts/signs";
import { nameOf } from "../../url/ids";
import { GROUPINGS, type Grouping, link, type MapState, NO_PATHS } from "../../url/state";
import { columnsOf, type OpenMap } from "./open-map";
import type { MapPicture } from "./picture";

const WORDS = { up: "Upstream", both: "Both", down: "Downstream" };

export function MapTools({ map }: { map: OpenMap }) {
  const { state, picture, actions } = map;
  const { focus } = picture;
  return (
    <>
      {state.to && (
        <Button
          title="the nodes beside the paths, too"
          on={state.whole}
          press={() => actions.to({ whole: !state.whole }, focus)}
        >
          All of it
        </Button>
      )}
      {focus && <ReachChoice state={state} words={WORDS} change={(change) => actions.to(change, focus)} />}
      <ShowMenu state={state} to={(change) => actions.to(change, focus)} />
      <Select
        look="button"
        label="group by"
        value={state.by}
        {...(state.node && { none: "no groups" })}
        among={Object.entries(GROUPINGS).map(([name, word]) => [name, `by ${word}`])}
        choose={(by) => actions.to({ by: by as Grouping | "", into: [] }, focus)}
      />
      <ListButton open={map} />
      {focus && (
        <>
          <LinkButton to={columnsOf(state, focus)}>Columns</LinkButton>
          <LinkButton to={link("impact", { node: focus })}>Impact</LinkButton>
        </>
      )}
      <ExportMenu map={map} />
    </>
  );
}

/** What a map draws besides datasets: jobs on lines or as boxes, and waiting. */
function ShowMenu({ state, to }: { state: MapState; to: (change: Partial<MapState>) => void }) {
  return (
    <Menu title="Show">
      <Button
        title="jobs with a single output: on the line before it, or boxes"
        on={!state.boxes}
        press={() => to({ boxes: !state.boxes })}
      >
        Jobs on lines
      </Button>
      {state.node && (
        <Button
          title="jobs that wait for others, whatever data they exchange"
          on={state.dependencies}
          press={() => to({ dependencies: !state.dependencies })}
        >
          Dependencies
        </Button>
      )}
    </Menu>
  );
}

export function Chips({ map: { state, picture, actions } }: { map: OpenMap }) {
  const { temporary, shown, grouped } = picture;
  const hubs = [...shown.hubs.keys()];
  const chips: readonly (false | "" | [string, Partial<MapState>])[] = [
    temporary > 0 && [`${plural(temporary, "temporary dataset")} hidden`, { temporary: true }],
    state.temporary && ["temporary datasets shown", { temporary: false }],
    hubs.length > 0 && [`${plural(hubs.length, "hub")} folded`, { hub: [...state.hub, ...hubs] }],
    state.hub.length > 0 && [`${plural(state.hub.length, "hub")} drawn`, { hub: [] }],
    ...(grouped?.open ?? []).map(({ id, title }): [string, Partial<MapState>] => [
      `${title} open`,
      { into: state.into.filter((other) => !`${other}\n`.startsWith(`${id}\n`)) },
    ]),
    state.to && ["paths between two", NO_PATHS],
  ];
  return chips.map(
    (chip) =>
      chip && (
        <Chip key={chip[0]} press={() => actions.to(chip[1])}>
          {chip[0]} ✕
        </Chip>
      ),
  );
}

const INK = { added: "good", removed: "bad", changed: "warn", joined: "muted" } as const;

const INK_OF = { failed: "bad", late: "warn", running: "running", fresh: "good", unknown: "line" } as const;
const LEGEND = [
  ["bad", "failed"],
  ["warn", "late"],
  ["running", "running"],
  ["good", "fresh"],
  ["line", "unknown"],
] as const;

function ExportMenu({ map: { state, data, picture, layout } }: { map: OpenMap }) {
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
