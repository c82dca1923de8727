/** Columns: datasets opened to their columns, and the whole path of the selected one. */

import { useLocation, useSearch } from "wouter";

import { PictureView } from "../../draw/picture-view";
import type { ColumnLines } from "../../model/columns";
import { plural } from "../../model/format";
import { titleOf } from "../../model/titles";
import { Loaded, EmptyState as Nothing, useTitle } from "../../parts/frame";
import { useOwnName } from "../../parts/me";
import { KindOf } from "../../parts/signs";
import { datasetOf, nameOf } from "../../url/ids";
import { type ColumnsState, columnsLink, mapLink, parseColumns } from "../../url/state";
import { type ColumnsData, useColumnsData } from "./data";
import { ColumnList } from "./list";
import { type OpenColumns, useOpenColumns } from "./open-columns";
import { ColumnPanel } from "./panel";
import type { ColumnsPicture } from "./picture";
import { useCanvas } from "./stage";
import { ColumnsTools } from "./tools";

// Changes of the datasets next to it are ticks of the bar.
const TICKS_DEPTH = 1;

export function ColumnsView() {
  const state = parseColumns(useSearch());
  useTitle(state.node ? `Columns of ${nameOf(state.node).name}` : "Columns");
  const data = useColumnsData(state);
  if (!state.node) return <Nothing title="No dataset or column is chosen">Find one with the box above.</Nothing>;
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

function useColumnsKeys({ state, picture: { sel }, actions }: OpenColumns) {
  const [, navigate] = useLocation();
  const { node, at, vs } = state;
  return {
    i: () => actions.to({ indirect: !state.indirect }),
    c: () => navigate(mapLink({ node: datasetOf(node), at, vs, sel: sel ? datasetOf(sel) : "" })),
  };
}
