/** The picture of a map, the list beside it or in its place, and the panel of what is selected. */

import { Canvas } from "../../draw/canvas";
import { Corner } from "../../draw/corner";
import { arrowKey, type Shown } from "../../model/graph";
import { neighboursOf } from "../../model/paths";
import { ChangesPanel } from "../../parts/changes";
import { SignOf } from "../../parts/signs";
import { FoldPanel } from "./fold";
import { MapList } from "./list";
import { useLabels, useNodeDrawing } from "./nodes";
import type { OpenMap } from "./open-map";
import { NodePanel } from "./panel";

const LIST_ABOVE = 2000;
const WAY_PER_ROW = 4;

export function Stage({ map }: { map: OpenMap }) {
  const { isList, isNarrow } = map.list;
  const isTooMuch = map.picture.shown.hops.size > LIST_ABOVE;
  return (
    <div className="stage">
      {!isTooMuch && !(isList && isNarrow) && <MapPicture map={map} />}
      {(isList || isTooMuch) && <ListOf map={map} isAlone={isTooMuch || isNarrow} />}
      <Panel map={map} />
    </div>
  );
}

function MapPicture({ map }: { map: OpenMap }) {
  const { state, data, picture, actions, handled, layout } = map;
  const { boxes, arrows, path, isWay } = picture;
  return (
    <div className={state.at ? "canvas is-past" : "canvas"}>
      <Canvas
        boxes={boxes}
        arrows={arrows}
        anchor={actions.anchor}
        focus={picture.focus}
        isLate={data.isLate}
        isWhole={isWay || picture.grouped !== null}
        perRow={isWay ? WAY_PER_ROW : 0}
        dir={state.dir}
        depth={state.depth}
        titles={picture.titles}
        inSight={[actions.anchor]}
        path={path?.nodes ?? null}
        isOnPath={(arrow) => path?.arrows.has(arrowKey(arrow)) ?? false}
        neighbours={(id) => neighboursOf(arrows, id)}
        draw={useNodeDrawing(map)}
        label={useLabels(picture)}
        onChoose={actions.choose}
        onClear={() => (state.sel ? actions.clear() : undefined)}
        handled={handled}
        layout={layout}
      />
      <Corner of="map" handled={handled} />
      <Hint shown={picture.shown} />
    </div>
  );
}

function Hint({ shown }: { shown: Shown }) {
  return (
    <div className="hint">
      <span className="kind-dataset">
        <SignOf of="dataset" /> dataset
      </span>
      <span className="kind-job">
        <SignOf of="job" /> job
      </span>
      {[...shown.more.values()].some(({ up, down }) => up + down > 0) && <span>+n opens what is hidden</span>}
      <span>
        <kbd>?</kbd> keys
      </span>
    </div>
  );
}

function ListOf({ map: { state, data, picture, actions, handled }, isAlone }: { map: OpenMap; isAlone: boolean }) {
  return (
    <MapList
      lineage={picture.lineage}
      shown={picture.all}
      focus={picture.focus}
      sel={state.sel}
      freshness={picture.freshness}
      comparison={data.comparison}
      choose={(id) => {
        actions.choose(id);
        handled.current?.center(id);
      }}
      alone={isAlone}
    />
  );
}

function Panel({ map }: { map: OpenMap }) {
  const { state, picture, actions, changes } = map;
  const { lineage, shown } = picture;
  const item = lineage.items.get(state.sel);
  const fold = shown.folds.find(({ id }) => id === state.sel);
  if (changes.isOpen) return <ChangesPanel steps={changes} />;
  if (item)
    return (
      <NodePanel
        item={item}
        lineage={lineage}
        freshness={picture.freshness.get(item.id)}
        state={state}
        drawn={shown.hops}
        close={actions.clear}
        choose={actions.choose}
        open={actions.open}
      />
    );
  return fold ? (
    <FoldPanel
      fold={fold}
      state={state}
      drawn={shown.hops}
      close={() => actions.to({ sel: "" })}
      change={(change) => actions.to(change, fold.of)}
    />
  ) : null;
}
