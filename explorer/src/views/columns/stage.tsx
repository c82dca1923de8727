/** The picture of the columns, the list beside it or in its place, and the panel of the selected column. */

import { useCallback } from "react";

import { Canvas } from "../../draw/canvas";
import { Corner } from "../../draw/corner";
import { plural } from "../../model/format";
import { ChangesPanel } from "../../parts/changes";
import { datasetOf, nameOf } from "../../url/ids";
import { ColumnCard } from "./card";
import { IndirectBox, usedFor } from "./indirect";
import { ColumnList } from "./list";
import type { OpenColumns } from "./open-columns";
import { ColumnPanel } from "./panel";

export function Stage({ columns }: { columns: OpenColumns }) {
  const { picture, actions, list } = columns;
  const { kept, path, sel, comparison } = picture;
  return (
    <div className="stage">
      {!(list.isNarrow && list.isList) && <ColumnsPicture columns={columns} />}
      {list.isList && (
        <ColumnList
          arrows={kept}
          path={path}
          sel={sel}
          choose={actions.choose}
          alone={list.isNarrow}
          comparison={comparison}
        />
      )}
      <Panel columns={columns} />
    </div>
  );
}

function Panel({ columns: { state, picture, actions, list, changes } }: { columns: OpenColumns }) {
  const { lines, kept, sel } = picture;
  if (changes.isOpen) return <ChangesPanel steps={changes} />;
  // Beside a list, the panel is that of a column which was chosen there.
  if (!sel || actions.isPanelClosed || (list.isList && !list.isNarrow && !state.sel)) return null;
  return (
    <ColumnPanel
      id={sel}
      lines={lines}
      arrows={kept}
      isCentre={sel === state.node}
      close={() => (list.isNarrow ? actions.closePanel(true) : actions.to({ sel: "" }))}
      canClose={list.isNarrow || state.sel !== ""}
      choose={actions.choose}
    />
  );
}

function ColumnsPicture({ columns }: { columns: OpenColumns }) {
  const { state, data, picture, actions, handled, layout } = columns;
  const { cards, kept, path, sel } = picture;
  return (
    <div className="canvas">
      {cards.length <= 1 && kept.length === 0 && <NoLines />}
      <Canvas
        boxes={picture.boxes}
        arrows={picture.arrows}
        layoutArrows={picture.layoutArrows}
        anchor={actions.anchor}
        focus={datasetOf(state.node)}
        isLate={data.now.isPlaceholderData}
        dir={state.dir}
        depth={state.depth}
        titles={picture.titles}
        inSight={[actions.anchor]}
        path={null}
        isOnPath={(arrow) => path !== null && arrow.key !== undefined && !arrow.look?.includes("is-indirect")}
        neighbours={(id) => new Set([id])}
        draw={useCardDrawing(columns)}
        label={useLabels(columns)}
        onChoose={() => undefined}
        onClear={() => (state.sel ? actions.to({ sel: "" }) : undefined)}
        handled={handled}
        layout={layout}
      />
      <Corner of="columns" handled={handled} />
      {!sel && (
        <div className="hint">
          <span>Choose a column to see its whole path</span>
        </div>
      )}
    </div>
  );
}

const NoLines = () => (
  <div className="empty">
    <h2>No lineage of its columns is reported</h2>
    <p>
      Jobs report it in the facet <code>columnLineage</code>; on Spark, <code>capture(spark)</code> does.
    </p>
  </div>
);

/** Return what draws a dataset: a card of columns, or the box of an indirect source. */
function useCardDrawing({ state, picture, actions }: OpenColumns) {
  const { cards, formulas, freshness, indirect, titles, sel, path, comparison } = picture;
  const { toggle, open } = actions;
  return useCallback(
    (id: string) => {
      const card = cards.find((other) => other.id === id);
      const source = indirect.find((other) => other.id === id);
      if (!card) return source ? <IndirectBox source={source} title={titles.get(id)!} /> : null;
      return (
        <ColumnCard
          card={card}
          title={titles.get(id)!}
          focus={id === datasetOf(state.node)}
          sel={sel}
          path={path}
          changes={comparison?.changes}
          formulas={formulas}
          freshness={freshness?.get(id)}
          choose={(column) => toggle(column, sel)}
          open={(filter) => open(id, filter)}
        />
      );
    },
    [cards, formulas, freshness, indirect, titles, sel, path, state.node, toggle, open, comparison],
  );
}

function useLabels({ picture: { cards, indirect } }: OpenColumns) {
  return useCallback(
    (id: string) => {
      const source = indirect.find((other) => other.id === id);
      if (source && !cards.some((card) => card.id === id))
        return `dataset ${source.name}, indirect: ${usedFor(source)}`;
      const columns = cards.find((card) => card.id === id)?.columns.length ?? 0;
      return `dataset ${nameOf(id).name}, ${plural(columns, "column")}`;
    },
    [cards, indirect],
  );
}
