/** The bar of a map: what it is about, what it leaves out, and the tools. */

import { DepthChoice, DirectionChoice } from "../../draw/choices";
import { plural } from "../../model/format";
import type { Grouped } from "../../model/groups";
import { titleOf } from "../../model/titles";
import { LinkButton, Select } from "../../parts/controls";
import { Menu } from "../../parts/menu";
import { KindOf } from "../../parts/signs";
import { PictureChoice, Tools } from "../../parts/tools";
import { nameOf } from "../../url/ids";
import { GROUPINGS, type Grouping, link, type MapState, NO_PATHS } from "../../url/state";
import { ExportMenu } from "./export";
import { columnsOf, type OpenMap } from "./open-map";

const WORDS = { up: "Upstream", both: "Both", down: "Downstream" };

export function MapBar({ map }: { map: OpenMap }) {
  const { state, picture, actions, list } = map;
  return (
    <div className="bar">
      <About map={map} />
      <Chips
        state={state}
        temporary={picture.temporary}
        hubs={[...picture.shown.hubs.keys()]}
        open={picture.grouped?.open ?? []}
        to={actions.to}
      />
      {list.isNarrow && <PictureChoice isPicture={list.isPicture} choose={list.choosePicture} />}
      <Tools title="⋯ Tools" of="tools of the map">
        <MapTools map={map} />
      </Tools>
    </div>
  );
}

function About({ map: { data, picture } }: { map: OpenMap }) {
  const { focus, lineage, shown, all, grouped } = picture;
  if (!focus)
    return (
      <div className="what">
        <h1>All jobs and their datasets</h1>
        <span className="muted small" role="status">
          {plural(lineage.items.size, "node")}
        </span>
      </div>
    );
  const thing = lineage.items.get(focus) ?? nameOf(focus);
  return (
    <div className="what">
      <KindOf of={thing.kind === "job" ? "job" : "dataset"} namespace={thing.namespace} />
      <h1 title={focus}>
        <bdi>{titleOf(thing)}</bdi>
      </h1>
      <span className="muted small" role="status">
        {plural((grouped ? all : shown).hops.size, "node")}
        {data.isLate && " · loading"}
      </span>
    </div>
  );
}

function MapTools({ map: { state, data, picture, actions, list, layout } }: { map: OpenMap }) {
  const { focus } = picture;
  return (
    <>
      {state.to && (
        <button
          className="button"
          title="the nodes beside the paths, too"
          aria-pressed={state.whole}
          onClick={() => actions.to({ whole: !state.whole }, focus)}
        >
          All of it
        </button>
      )}
      {focus && (
        <>
          <DirectionChoice dir={state.dir} words={WORDS} choose={(dir) => actions.to({ dir }, focus)} />
          <DepthChoice depth={state.depth} choose={(depth) => actions.to({ depth }, focus)} />
        </>
      )}
      <ShowMenu state={state} to={(change) => actions.to(change, focus)} />
      <GroupChoice state={state} choose={(by) => actions.to({ by, into: [] }, focus)} />
      {!list.isNarrow && (
        <button className="button" aria-pressed={state.list} onClick={() => list.showList(!state.list)}>
          List
        </button>
      )}
      {focus && (
        <>
          <LinkButton to={columnsOf(state, focus)}>Columns</LinkButton>
          <LinkButton to={link("impact", { node: focus })}>Impact</LinkButton>
        </>
      )}
      <ExportMenu
        picture={picture}
        layout={layout}
        name={focus ? nameOf(focus).name : "all jobs"}
        comparison={data.comparison}
        at={state.at}
      />
    </>
  );
}

function GroupChoice({ state: { by, node }, choose }: { state: MapState; choose: (by: Grouping | "") => void }) {
  return (
    <Select
      look="button"
      label="group by"
      value={by}
      {...(node && { none: "no groups" })}
      among={Object.entries(GROUPINGS).map(([name, word]) => [name, `by ${word}`])}
      choose={(value) => choose(value as Grouping | "")}
    />
  );
}

/** What a map draws besides datasets: jobs on lines or as boxes, and waiting. */
function ShowMenu({ state, to }: { state: MapState; to: (change: Partial<MapState>) => void }) {
  return (
    <Menu title="Show">
      <button
        className="button"
        title="jobs with a single output: on the line before it, or boxes"
        aria-pressed={!state.boxes}
        onClick={() => to({ boxes: !state.boxes })}
      >
        Jobs on lines
      </button>
      {state.node && (
        <button
          className="button"
          title="jobs that wait for others, whatever data they exchange"
          aria-pressed={state.dependencies}
          onClick={() => to({ dependencies: !state.dependencies })}
        >
          Dependencies
        </button>
      )}
    </Menu>
  );
}

interface Props {
  state: MapState;
  /** The number of temporary datasets that are hidden. */
  temporary: number;
  /** The hubs that are stubs. */
  hubs: readonly string[];
  open: Grouped["open"];
  to: (change: Partial<MapState>) => void;
}

function Chips({ state, temporary, hubs, open, to }: Props) {
  const chips: readonly (false | "" | [string, Partial<MapState>])[] = [
    temporary > 0 && [`${plural(temporary, "temporary dataset")} hidden`, { temporary: true }],
    state.temporary && ["temporary datasets shown", { temporary: false }],
    hubs.length > 0 && [`${plural(hubs.length, "hub")} folded`, { hub: [...state.hub, ...hubs] }],
    state.hub.length > 0 && [`${plural(state.hub.length, "hub")} drawn`, { hub: [] }],
    ...open.map(({ id, title }): [string, Partial<MapState>] => [
      `${title} open`,
      { into: state.into.filter((other) => !`${other}\n`.startsWith(`${id}\n`)) },
    ]),
    state.to && ["paths between two", NO_PATHS],
  ];
  return chips.map(
    (chip) =>
      chip && (
        <button key={chip[0]} className="chip" onClick={() => to(chip[1])}>
          {chip[0]} ✕
        </button>
      ),
  );
}
