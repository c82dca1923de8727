/** The keys of the columns. */

import { useLocation } from "wouter";

import { stepBy } from "../../parts/changes";
import { useKeys } from "../../parts/keys";
import { datasetOf } from "../../url/ids";
import { type ColumnsState, mapLink } from "../../url/state";
import type { OpenColumns } from "./open-columns";

export function useColumnsKeys({ state, picture: { sel }, actions, list, handled, changes }: OpenColumns): void {
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
