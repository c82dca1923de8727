/** What a reader does on a map. All but the last node that was acted on is in the address. */

import { useCallback, useMemo, useState } from "react";
import { useLocation } from "wouter";

import { isStep, type MapState, mapLink, NO_PATHS, type Side } from "../../url/state";
import type { MapPicture } from "./picture";

export interface Actions {
  /** What the reader acted on last: it stays where it is, and in sight. */
  anchor: string;
  /** Change the map; `anchor` is what the change is of. */
  to: (change: Partial<MapState>, anchor?: string) => void;
  /** Select a node, with Shift the second end of a path; draw a hub. */
  choose: (id: string, event?: { shiftKey: boolean }) => void;
  clear: () => void;
  /** The change of the paths between two that comes with a selection. */
  ends: Partial<MapState>;
  /** Open a side of a node beyond the depth, or close it. */
  open: (id: string, side: Side) => void;
}

export function useActions(state: MapState, { shown, isWay, grouped }: MapPicture): Actions {
  const [, navigate] = useLocation();
  const [anchor, setAnchor] = useState(state.sel || state.node);
  const to = useCallback(
    (change: Partial<MapState>, of?: string) => {
      if (of !== undefined) setAnchor(of);
      navigate(mapLink({ ...state, ...change }), { replace: !isStep(state, change) });
    },
    [navigate, state],
  );
  // Another selection leaves the paths between two as they are drawn, else it ends them.
  const ends = useMemo(() => (isWay ? { from: state.from || state.sel } : NO_PATHS), [isWay, state.from, state.sel]);
  const open = useCallback(
    (id: string, side: Side) => {
      const mark = `${side}:${id}`;
      const name = isWay ? "beside" : "open";
      const others = state[name].filter((other) => other !== mark);
      to({ [name]: others.length < state[name].length ? others : [...state[name], mark] }, id);
    },
    [to, isWay, state],
  );
  const choose = useCallback(
    (id: string, { shiftKey } = { shiftKey: false }) => {
      const stub = shown.stubs.find((other) => other.id === id);
      if (grouped?.groups.has(id)) to({ into: [...state.into.filter((other) => other !== id), id] }, id);
      else if (stub) to({ hub: [...state.hub, stub.hub] }, stub.of);
      else if (shiftKey && state.sel && state.sel !== id) to({ ...NO_PATHS, from: state.sel, to: id }, id);
      else to({ ...ends, sel: id, panel: state.panel === "none" ? "none" : "" }, id);
    },
    [to, ends, state.sel, state.hub, state.into, state.panel, shown, grouped],
  );
  return { anchor, to, choose, ends, clear: () => to({ ...ends, sel: "" }), open };
}
