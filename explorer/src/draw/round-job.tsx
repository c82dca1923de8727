/** A job on the line before its table: a round with its sign and state; its name on hover. */

import "./round-job.css";

import { age } from "../model/format";
import { type Health, healthOf } from "../model/freshness";
import type { Item } from "../model/graph";
import { type Sign, SignOf } from "../parts/signs";
import type { Side } from "../url/state";
import { More } from "./card";

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
