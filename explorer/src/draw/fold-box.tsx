/** What is drawn in place of cards: the fold of a side, the stub of a hub, the round of a job on a line. */

import "./round-job.css";

import { age, count } from "../model/format";
import { type Health, healthOf } from "../model/freshness";
import type { Fold, Item } from "../model/graph";
import { cutFront, type Title } from "../model/titles";
import { type Sign, SignOf } from "../parts/signs";
import type { Side } from "../url/state";
import { More } from "./card";

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

export const ROUND = { width: 22, height: 22 };

const SIGNS: Readonly<Partial<Record<Health, Sign>>> = { failed: "failed", running: "running" };

interface Props {
  item: Item;
  selected: boolean;
  muted: boolean;
  /** The number of its inputs that are not drawn. */
  more: number;
  onMore: (side: Side) => void;
}

export function RoundJob({ item, selected, muted, more, onMore }: Props) {
  const { health, since } = healthOf(item, null);
  const state = item.state
    ? `${item.state.toLowerCase()}${since ? ` ${age(since, Date.now())} ago` : ""}`
    : "never ran";
  return (
    <div
      className={`round-job health-${health} ${selected ? "is-selected" : ""} ${muted ? "is-muted" : ""}`}
      title={`${item.name}\n${state}\n${item.namespace}`}
    >
      <SignOf of={SIGNS[health] ?? "job"} />
      {more > 0 && <More side="up" of={item} more={more} onMore={onMore} />}
    </div>
  );
}
