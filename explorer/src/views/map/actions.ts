/** What a reader does on a map. All but the last node that was acted on is in the address. */

import { useCallback, useState } from "react";
import { useLocation } from "wouter";

import { isStep, type MapState, mapLink, type Side } from "../../url/state";
import type { MapPicture } from "./picture";

export interface Actions {
  /** What the reader acted on last: it stays where it is, and in sight. */
  anchor: string;
  /** Change the map; `anchor` is what the change is of. */
  to: (change: Partial<MapState>, anchor?: string) => void;
  /** Select a node, with Shift the second end of a path; draw a hub. */
  choose: (id: string, event?: { shiftKey: boolean }) => void;
  clear: () => void;
  /** Open a side of a node beyond the depth, or close it. */
  open: (id: string, side: Side) => void;
}

export function useActions(state: MapState, { shown }: MapPicture): Actions {
  const [, navigate] = useLocation();
  const [anchor, setAnchor] = useState(state.sel || state.node);
  const to = useCallback(
    (change: Partial<MapState>, of?: string) => {
      if (of !== undefined) setAnchor(of);
      navigate(mapLink({ ...state, ...change }), { replace: !isStep(state, change) });
    },
    [navigate, state],
  );
  const open = useCallback(
    (id: string, side: Side) => {
      const mark = `${side}:${id}`;
      const others = state.open.filter((other) => other !== mark);
      to({ open: others.length < state.open.length ? others : [...state.open, mark] }, id);
    },
    [to, state.open],
  );
  const choose = useCallback(
    (id: string, { shiftKey } = { shiftKey: false }) => {
      const stub = shown.stubs.find((other) => other.id === id);
      if (stub) to({ hub: [...state.hub, stub.hub] }, stub.of);
      else if (shiftKey && state.sel && state.sel !== id) to({ to: id }, id);
      else to({ sel: id, to: "", panel: state.panel === "none" ? "none" : "" }, id);
    },
    [to, state.sel, state.hub, state.panel, shown],
  );
  return { anchor, to, choose, clear: () => to({ sel: "", to: "" }), open };
}
