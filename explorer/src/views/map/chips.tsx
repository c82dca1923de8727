/** What a map leaves out or narrows, each with a click that takes it back. */

import { plural } from "../../model/format";
import type { Grouped } from "../../model/groups";
import { type MapState, NO_PATHS } from "../../url/state";

interface Props {
  state: MapState;
  /** The number of temporary datasets that are hidden. */
  temporary: number;
  /** The hubs that are stubs. */
  hubs: readonly string[];
  open: Grouped["open"];
  to: (change: Partial<MapState>) => void;
}

export function Chips({ state, temporary, hubs, open, to }: Props) {
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
