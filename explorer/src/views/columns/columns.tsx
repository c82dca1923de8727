/** Columns: datasets opened to their columns, and the whole path of the selected one. */

import { useCallback } from "react";
import { useSearch } from "wouter";
import type { DrawnArrow } from "../../draw/elements";
import { ListButton, PictureView, ReachChoice } from "../../draw/picture-view";
import type { ColumnLines } from "../../model/columns";
import { plural } from "../../model/format";
import { titleOf } from "../../model/titles";
import { Button, LinkButton } from "../../parts/controls";
import { EmptyState, Loaded, useTitle } from "../../parts/frame";
import { useOwnName } from "../../parts/reader";
import { KindOf } from "../../parts/signs";
import { datasetOf, nameOf } from "../../url/ids";
import { type ColumnsState, columnsLink, link, mapLink, parseColumns } from "../../url/state";
import { ColumnCard, IndirectBox, usedFor } from "./card";
import { ColumnList, ExportMenu } from "./list";
import {
  type ColumnsData,
  type ColumnsPicture,
  type OpenColumns,
  useColumnsData,
  useColumnsKeys,
  useOpenColumns,
} from "./open-columns";
import { ColumnPanel } from "./panel";

// Changes of the datasets next to it are ticks of the bar.
const TICKS_DEPTH = 1;

export function ColumnsView() {
  const state = parseColumns(useSearch());
  useTitle(state.node ? `Columns of ${nameOf(state.node).name}` : "Columns");
  const data = useColumnsData(state);
  if (!state.node) return <EmptyState title="No dataset or column is chosen">Find one with the box above.</EmptyState>;
  return (
    <Loaded of={data.now} rows={9} keep={`columns ${state.node}`}>
      {(now) => <Drawn state={state} data={data} now={now} />}
    </Loaded>
  );
}

function Drawn({ state, data, now }: { state: ColumnsState; data: ColumnsData; now: ColumnLines }) {
  const columns = useOpenColumns(state, data, now);
  const { picture } = columns;
  const isShown = data.isLate || now.columns.some(({ id, dataset }) => id === state.node || dataset === state.node);
  useOwnName(state.node, isShown, (node) => columnsLink({ ...state, node }));
  return (
    <PictureView
      of="columns"
      open={columns}
      about={aboutOf(columns)}
      tools={<ColumnsTools columns={columns} />}
      notices={
        picture.lines.truncated && (
          <div className="notice warn" role="status">
            These columns are truncated: there are more than a response holds.
          </div>
        )
      }
      compared={picture.comparison?.changes ?? null}
      canvas={useCanvas(columns)}
      hint={!picture.sel && <span>Choose a column to see its whole path</span>}
      listed={<ColumnList columns={columns} />}
      panel={<Panel columns={columns} />}
      ticksDepth={TICKS_DEPTH}
      keys={useColumnsKeys(columns)}
    />
  );
}

function aboutOf({ state, picture }: OpenColumns) {
  const name = nameOf(state.node);
  return {
    sign: <KindOf of={name.kind} namespace={name.namespace} />,
    title: [titleOf(name), name.field].filter(Boolean).join(" · "),
    hint: state.node,
    numbers: [
      plural(picture.cards.length, "dataset"),
      plural(picture.kept.length, "line"),
      ...(state.indirect ? [indirectOf(picture)] : []),
    ].join(", "),
  };
}

function indirectOf({ indirect, boxes }: ColumnsPicture): string {
  const drawn = new Set(boxes.map(({ id }) => id));
  const left = indirect.filter(({ id }) => !drawn.has(id)).length;
  return `${indirect.length || "none"} indirect${left ? `, ${left} of them not drawn` : ""}`;
}

function Panel({ columns: { state, picture, actions, list } }: { columns: OpenColumns }) {
  const { lines, kept, sel } = picture;
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

function useCanvas(columns: OpenColumns) {
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
    empty: cards.length <= 1 && kept.length === 0 && (
      <EmptyState title="No lineage of its columns is reported">
        <p>
          Jobs report it in the facet <code>columnLineage</code>; on Spark, <code>capture(spark)</code> does.
        </p>
      </EmptyState>
    ),
  };
}

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

const WORDS = { up: "Sources", both: "Both", down: "Uses" };

function ColumnsTools({ columns }: { columns: OpenColumns }) {
  const { state, picture, actions, list } = columns;
  const { node, indirect, at, vs } = state;
  const { sel } = picture;
  return (
    <>
      <ReachChoice state={state} words={WORDS} change={actions.to} />
      <Button on={indirect} press={() => actions.to({ indirect: !indirect })}>
        Indirect
      </Button>
      <ListButton open={columns} />
      {list.isNarrow && sel && <Button press={() => actions.closePanel(false)}>About {nameOf(sel).field}</Button>}
      <LinkButton to={mapLink({ node: datasetOf(node), at, vs })}>Map</LinkButton>
      {sel && <LinkButton to={link("impact", { node: sel })}>What breaks</LinkButton>}
      {sel && <LinkButton to={link("usage", { node: sel })}>Usage</LinkButton>}
      <ExportMenu columns={columns} />
    </>
  );
}
