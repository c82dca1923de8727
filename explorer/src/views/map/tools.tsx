/** The tools of a map, and chips of what it leaves out. */

import { ListButton, ReachChoice } from "../../draw/picture-view";
import { plural } from "../../model/format";
import { Button, Chip, LinkButton, Menu, Select } from "../../parts/controls";
import { GROUPINGS, type Grouping, link, type MapState, NO_PATHS } from "../../url/state";
import { ExportMenu } from "./export";
import { columnsOf, type OpenMap } from "./open-map";

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
