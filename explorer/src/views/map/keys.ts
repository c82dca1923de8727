/** The keys of a map. */

import { useLocation } from "wouter";
import { stepBack } from "../../draw/picture-view";
import { findBeside, type Placed } from "../../layout/boxes";
import { drawnArrows, type Picture } from "../../model/hubs";
import { NO_PATHS } from "../../url/state";
import { columnsOf, type OpenMap } from "./open-map";

export function useMapKeys(map: OpenMap) {
  const { state, picture, actions, handled, layout } = map;
  const [, navigate] = useLocation();
  const on = state.sel || picture.focus;
  const arrow = (event: KeyboardEvent) => {
    event.preventDefault();
    const next = walk(picture.shown, layout.current, on, event.key);
    if (!next) return;
    actions.to({ ...actions.ends, sel: next }, next);
    handled.current?.center(next);
    requestAnimationFrame(() => handled.current?.focusNode(next));
  };
  const closed = { open: [], pick: [], all: [], hub: [] };
  return {
    ...{ ArrowLeft: arrow, ArrowRight: arrow, ArrowUp: arrow, ArrowDown: arrow },
    e: () => actions.open(on, "down"),
    E: () => actions.open(on, "up"),
    c: () => navigate(columnsOf(state, state.node)),
    Enter: (event: KeyboardEvent) => enter(event, map),
    Escape: () => actions.to(state.to ? NO_PATHS : (stepBack(state) ?? closed)),
  };
}

/** Select the node that has the keyboard's focus; of one that is selected, go into its panel. */
function enter(event: KeyboardEvent, { state, picture, actions }: OpenMap): void {
  const node = (document.activeElement as HTMLElement | null)?.closest<HTMLElement>(".react-flow__node");
  const id = node?.dataset["id"];
  if (!id) return;
  if (id !== state.sel || picture.shown.stubs.some((stub) => stub.id === id)) {
    actions.choose(id);
    return;
  }
  event.preventDefault();
  document.querySelector<HTMLElement>(".side .actions a, .side .actions button")?.focus();
}

/** The node that an arrow key leads to: along an arrow, or the nearest above or below in the same rank. */
function walk(shown: Picture, placed: Placed | null, from: string, key: string): string | null {
  const here = placed?.at[from];
  if (!placed || !here) return null;
  const far = (id: string) => Math.abs((placed.at[id]?.y ?? 0) - here.y);
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const [end, other] = key === "ArrowLeft" ? (["to", "from"] as const) : (["from", "to"] as const);
    const next = drawnArrows(shown).flatMap((arrow) => (arrow[end] === from ? [arrow[other]] : []));
    return next.sort((a, b) => far(a) - far(b))[0] ?? null;
  }
  return findBeside(placed, from, key === "ArrowUp");
}
