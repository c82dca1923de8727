/** Columns: datasets opened to their columns, and the whole path of the selected one. */

import { useSearch } from "wouter";

import type { ColumnLines } from "../../model/columns";
import { WaysToChanges } from "../../parts/changes";
import { AsOf, ChangesBar, Failed, Loaded, Nothing, useTitle } from "../../parts/frame";
import { TimeBar } from "../../parts/time";
import { useOwnName } from "../../parts/use-own-name";
import { datasetOf, nameOf } from "../../url/ids";
import { type ColumnsState, columnsLink, parseColumns } from "../../url/state";
import { ColumnsBar } from "./bar";
import { type ColumnsData, useColumnsData } from "./data";
import { useColumnsKeys } from "./keys";
import { type OpenColumns, useOpenColumns } from "./open-columns";
import { Stage } from "./stage";

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
  const isShown =
    data.now.isPlaceholderData || now.columns.some(({ id, dataset }) => id === state.node || dataset === state.node);
  useOwnName(state.node, isShown, (node) => columnsLink({ ...state, node }));
  useColumnsKeys(columns);
  return (
    <>
      <ColumnsBar columns={columns} />
      <Notices columns={columns} />
      <Stage columns={columns} />
      <TimeBar
        node={datasetOf(state.node)}
        depth={TICKS_DEPTH}
        at={state.at}
        vs={state.vs}
        change={columns.actions.to}
      />
    </>
  );
}

function Notices({ columns: { state, data, picture, actions, list, changes } }: { columns: OpenColumns }) {
  const { lines, comparison } = picture;
  return (
    <>
      {lines.truncated && (
        <div className="notice warn" role="status">
          These columns are truncated: there are more than a response holds.
        </div>
      )}
      <AsOf at={state.at} back={actions.to} />
      {data.failure && <Failed error={data.failure} retry={() => actions.to({})} />}
      {comparison && (
        <ChangesBar vs={state.vs} changes={comparison.changes} end={() => actions.to({ vs: "", panel: "" })}>
          {comparison.changes.size > 0 && <WaysToChanges steps={changes} list={list} open={actions.to} />}
        </ChangesBar>
      )}
    </>
  );
}
