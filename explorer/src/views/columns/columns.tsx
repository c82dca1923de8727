/** Columns: datasets opened to their columns, and the whole path of the selected one. */

import { useLocation, useSearch } from "wouter";
import type { ColumnLines } from "../../model/columns";
import { stepBy, WaysToChanges } from "../../parts/changes";
import { AsOf, ChangesBar, Failed, Loaded, Nothing, useTitle } from "../../parts/frame";
import { useKeys } from "../../parts/keys";
import { TimeBar } from "../../parts/time";
import { useOwnName } from "../../parts/use-own-name";
import { datasetOf, nameOf } from "../../url/ids";
import { type ColumnsState, columnsLink, mapLink, parseColumns } from "../../url/state";
import { ColumnsBar } from "./bar";
import { type ColumnsData, useColumnsData } from "./data";
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

function useColumnsKeys({ state, picture: { sel }, actions, list, handled, changes }: OpenColumns): void {
  const [, navigate] = useLocation();
  const { node, at, vs } = state;
  const step = (event: KeyboardEvent) => (changes.isOpen ? stepBy(changes, event) : undefined);
  useKeys({
    ArrowUp: step,
    ArrowDown: step,
    i: () => actions.to({ indirect: !state.indirect }),
    l: () => list.showList(!list.isList),
    f: () => handled.current?.fit(),
    ".": () => actions.to({ at: "", vs: "" }),
    c: () => navigate(mapLink({ node: datasetOf(node), at, vs, sel: sel ? datasetOf(sel) : "" })),
    Escape: () => actions.to(stepBack(state)),
  });
}

/** What Escape takes back: the last of the things that a reader usually does first. */
function stepBack({ sel, vs, at }: ColumnsState): Partial<ColumnsState> {
  if (sel) return { sel: "" };
  if (vs) return { vs: "", panel: "" };
  return at ? { at: "" } : {};
}
