/** How the nodes of a map are drawn, and how they are named to who does not see them. */

import { type ReactNode, useCallback } from "react";

import { Card, type CardLook, spoken } from "../../draw/card";
import type { DrawnArrow } from "../../draw/elements";
import { FoldBox, moreOf, StubBox } from "../../draw/fold-box";
import { GroupBox, spokenGroup } from "../../draw/group-box";
import { RoundJob } from "../../draw/round-job";
import { plural } from "../../model/format";
import { writtenAt } from "../../model/freshness";
import { arrowKey, degreeOf } from "../../model/graph";
import { neighboursOf } from "../../model/paths";
import { titleOf } from "../../model/titles";
import type { OpenMap } from "./open-map";
import type { MapPicture } from "./picture";

const NO_MORE = { up: 0, down: 0 };

const WAY_PER_ROW = 4;

export function useCanvas(map: OpenMap) {
  const { state, data, picture, actions } = map;
  const { boxes, arrows, path, isWay, focus, titles } = picture;
  return {
    ...{ boxes, arrows, focus, titles },
    isWhole: isWay || picture.grouped !== null,
    perRow: isWay ? WAY_PER_ROW : 0,
    isCompared: (data.comparison?.changes.size ?? 0) > 0,
    path: path?.nodes ?? null,
    isOnPath: (arrow: DrawnArrow) => path?.arrows.has(arrowKey(arrow)) ?? false,
    neighbours: (id: string) => neighboursOf(arrows, id),
    draw: useNodeDrawing(map),
    label: useLabels(picture),
    onChoose: actions.choose,
    onClear: () => (state.sel ? actions.clear() : undefined),
  };
}

/** Return what draws a node: a card, a fold, or the stub of a hub. */
function useNodeDrawing({ state, data, picture, actions }: OpenMap): (id: string, muted: boolean) => ReactNode {
  const { lineage, focus, shown, titles, freshness, isWay } = picture;
  const { comparison } = data;
  const { open } = actions;
  return useCallback(
    (id: string, muted: boolean) => {
      const item = lineage.items.get(id);
      const selected = id === state.sel || id === state.to;
      if (!item) return drawOther(picture, id, { selected, muted });
      if (picture.onLines.has(id))
        return (
          <RoundJob
            item={item}
            selected={selected}
            muted={muted}
            more={shown.more.get(id)?.up ?? 0}
            onMore={(side) => open(id, side)}
          />
        );
      const change = comparison?.changes.get(id);
      const look: CardLook = {
        focus: id === focus,
        selected,
        whole: isWay,
        muted: muted || ((comparison?.changes.size ?? 0) > 0 && !change && id !== focus),
        change,
        freshness: freshness.get(id),
        written: writtenAt(lineage, id) ?? freshness.get(id)?.written ?? null,
      };
      return (
        <Card
          item={item}
          title={titles.get(id) ?? { title: titleOf(item), place: "", alike: 0 }}
          look={look}
          more={shown.more.get(id) ?? NO_MORE}
          onMore={(side) => open(id, side)}
        />
      );
    },
    [picture, lineage, shown, titles, freshness, isWay, state.sel, state.to, focus, comparison, open],
  );
}

function drawOther(
  { lineage, shown, titles, grouped }: MapPicture,
  id: string,
  look: { selected: boolean; muted: boolean },
) {
  const fold = shown.folds.find((other) => other.id === id);
  if (fold) return <FoldBox fold={fold} {...look} />;
  const hub = lineage.items.get(shown.stubs.find((other) => other.id === id)?.hub ?? "");
  const group = grouped?.groups.get(id);
  if (group) return <GroupBox group={group} muted={look.muted} />;
  return hub ? <StubBox item={hub} of={titles.get(hub.id)!} {...look} /> : null;
}

function useLabels({ lineage, shown, grouped }: MapPicture): (id: string) => string {
  return useCallback(
    (id) => {
      const item = lineage.items.get(id);
      const fold = shown.folds.find((other) => other.id === id);
      if (item) return spoken(item, degreeOf(lineage, id).up, degreeOf(lineage, id).down, Date.now());
      if (fold?.words) return `tasks: ${fold.words}`;
      if (fold) return `${moreOf(fold)} ${fold.side === "up" ? "upstream" : "downstream"}`;
      const group = grouped?.groups.get(id);
      if (group) return spokenGroup(group);
      const stub = shown.stubs.find((other) => other.id === id);
      const hub = lineage.items.get(stub?.hub ?? "");
      return hub ? `hub ${hub.name}, ${plural(shown.hubs.get(hub.id) ?? 0, "reader")}: draw its lines` : id;
    },
    [lineage, shown, grouped],
  );
}
