/** What is drawn in place of more nodes: the fold of a side, and the stub of a hub. */

import { count } from "../model/format";
import type { Fold, Item } from "../model/graph";
import { cutFront, type Title } from "../model/titles";

export const FOLD = { width: 148, height: 36 };
export const STUB = { width: 168, height: 30 };
const STUB_CHARS_MAX = 18;

interface BoxState {
  selected: boolean;
  muted: boolean;
}

export function FoldBox({ fold, selected, muted }: { fold: Fold } & BoxState) {
  return (
    <div className={`box of-fold ${selected ? "is-selected" : ""} ${muted ? "is-muted" : ""}`}>
      <div className="name">
        <span>{moreOf(fold)}</span>
      </div>
    </div>
  );
}

/** A hub that is drawn at one of its readers. */
export function StubBox({ of: { title, alike }, item, selected, muted }: { of: Title; item: Item } & BoxState) {
  return (
    <div
      className={`box of-fold of-stub ${selected ? "is-selected" : ""} ${muted ? "is-muted" : ""}`}
      title={`${item.name}\n${item.namespace}\nread by many jobs: click to draw its lines`}
    >
      <div className="name">
        <span aria-hidden="true">⊣</span>
        <span>{cutFront(title, STUB_CHARS_MAX, alike)}</span>
      </div>
    </div>
  );
}

/** "1,992 more"; of what is counted in an index, "about 1,992 more". */
export const moreOf = ({ count: left, exact, words }: Pick<Fold, "count" | "exact" | "words">) =>
  words ?? `${exact ? "" : "about "}${count(left)} more`;
