/** The canvas of the columns. */

import { useCallback } from "react";

import type { DrawnArrow } from "../../draw/elements";
import { plural } from "../../model/format";
import { datasetOf, nameOf } from "../../url/ids";
import { ColumnCard, IndirectBox, usedFor } from "./card";
import type { OpenColumns } from "./open-columns";

export function useCanvas(columns: OpenColumns) {
  const { state, picture, actions } = columns;
  const { cards, kept, path, boxes, arrows, layoutArrows, titles } = picture;
  return {
    ...{ boxes, arrows, layoutArrows, titles },
    focus: datasetOf(state.node),
    isCompared: (picture.comparison?.changes.size ?? 0) > 0,
    path: null,
    isOnPath: (arrow: DrawnArrow) => path !== null && arrow.key !== undefined && !arrow.look?.includes("is-indirect"),
    neighbours: (id: string) => new Set([id]),
    draw: useCardDrawing(columns),
    label: useLabels(columns),
    onChoose: () => undefined,
    onClear: () => (state.sel ? actions.to({ sel: "" }) : undefined),
    empty: cards.length <= 1 && kept.length === 0 && <NoLines />,
  };
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
