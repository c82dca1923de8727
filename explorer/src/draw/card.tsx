/** A dataset's card, a job's pill, and the title of a box, as much of its end as its lines hold. */

import "./card.css";

import { useStore } from "@xyflow/react";
import { memo, useMemo } from "react";
import type { NodeChange } from "../model/compare";
import { age, ago, agoShort, count, plural } from "../model/format";
import { type Freshness, type Health, healthOf, troubleOf } from "../model/freshness";
import type { Item } from "../model/graph";
import { cutToLines, type Title } from "../model/titles";
import { FailingTests } from "../parts/facts";
import { KindOf, Name, SignOf, Stale, StateOf } from "../parts/signs";
import type { Side } from "../url/state";
import { zoomLevel } from "./sight";
import { widthIn } from "./svg";

export const CARD = { width: 256, height: 60 };
const LINE_CHARS = 15,
  LINE_PX = 16;

/** Return the lines of a whole title, at most six. */
const linesFor = (title: string) => Math.min(6, Math.max(2, Math.ceil(title.length / LINE_CHARS)));

/** Return the size of a card for a whole title. */
export const cardFor = (title: string) => ({ ...CARD, height: CARD.height + LINE_PX * (linesFor(title) - 2) });

// What a card leaves for its title, beside its sign and its tag.
const TITLE_PX = { dataset: 206, job: 198 };
const TAG_PX = 23;

export interface CardLook {
  focus: boolean;
  selected: boolean;
  muted: boolean;
  /** True if the title is not cut. */
  whole: boolean;
  change?: NodeChange | undefined;
  freshness?: Freshness | undefined;
  /** When a dataset was written; null if unknown. */
  written: string | null;
}

const CHANGE = { added: "+ added", removed: "− removed", changed: "~ changed", joined: "+ new here" };
/** Signs of the healths: colour never speaks alone. */
const MARKS: Readonly<Record<Health, string>> = { failed: "✕ ", late: "! ", running: "▸ ", fresh: "", unknown: "" };

interface CardProps {
  item: Item;
  title: Title;
  look: CardLook;
  more: Record<Side, number>;
  onMore: (side: Side) => void;
}

export const Card = memo(function Card({ item, title, look, more, onMore }: CardProps) {
  const { health, since } = healthOf(item, look.written, look.freshness);
  const aged = `${MARKS[health]}${since ? age(since, Date.now()) : ""}`.trim();
  return (
    <div className={`box of-${item.kind} health-${health} ${marksOf(item, look)}`} title={titled(item)}>
      <div className="name">
        <KindOf of={item.kind} namespace={item.namespace} />
        <BoxTitle
          of={title}
          width={TITLE_PX[item.kind] - (item.tags.length ? TAG_PX : 0)}
          lines={look.whole ? linesFor(title.title) : 2}
          age={{ text: aged, hint: hintOf(item, look) }}
        />
        {item.tags.length > 0 && (
          <span className="tagged" title={`tagged ${item.tags.join(", ")}`}>
            <SignOf of="tag" label={`tagged ${item.tags.join(", ")}`} />
          </span>
        )}
      </div>
      <div className="about">
        <Facts item={item} place={title.place} look={look} />
      </div>
      {look.change && <span className={`mark ${look.change}`}>{CHANGE[look.change]}</span>}
      {(["up", "down"] as const).map(
        (side) => more[side] > 0 && <More key={side} side={side} of={item} more={more[side]} onMore={onMore} />,
      )}
    </div>
  );
});

const marksOf = (item: Item, look: CardLook): string =>
  [
    (item.state === "FAILED" || item.state === "ABORTED" || (item.tests?.failed ?? 0) > 0) && "has-trouble",
    item.stale && "is-stale",
    look.focus && "is-focus",
    look.selected && "is-selected",
    look.muted && "is-muted",
    look.change && `is-${look.change}`,
    look.whole && "is-whole",
    !item.known && "is-unknown",
  ]
    .filter(Boolean)
    .join(" ");

interface MoreProps {
  side: Side;
  of: Item;
  more: number;
  onMore: (side: Side) => void;
}

/** The number of undrawn neighbours: a click draws them. */
export function More({ side, of, more, onMore }: MoreProps) {
  return (
    <button
      className={`more nodrag nopan ${side}`}
      aria-label={`show ${more} more ${side === "up" ? "upstream" : "downstream"} of ${of.name}`}
      onClick={(event) => {
        event.stopPropagation();
        onMore(side);
      }}
    >
      +{count(more)}
    </button>
  );
}

const titled = ({ name, namespace, fieldCount, owners, tags }: Item) =>
  [
    name,
    namespace,
    fieldCount > 0 ? plural(fieldCount, "column") : "",
    owners.length ? `owned by ${owners.join(", ")}` : "",
    tags.length ? `tagged ${tags.join(", ")}` : "",
  ]
    .filter(Boolean)
    .join("\n");

/** Return the hint for a node's age. */
function hintOf({ kind, state, startedAt, endedAt, touchedAt }: Item, { freshness, written }: CardLook): string {
  const time = (when: string | null) => ago(when, Date.now());
  if (kind === "job") return state === "RUNNING" ? `started ${time(startedAt)}` : `ended ${time(endedAt)}`;
  const parts = [written ? `written ${time(written)}` : `last event ${time(touchedAt)}`];
  if (freshness?.late) parts.push("its writer's last run failed: its page says when it was written before");
  if (freshness?.isOnOldData) parts.push("written since a run failed that was to replace data behind it");
  return parts.join("; ");
}

/** The second line of a card. */
function Facts({ item, place, look: { freshness, written } }: { item: Item; place: string; look: CardLook }) {
  if (!item.known) return <>not yours to see</>;
  if (item.kind === "job" && !item.state) return <>never ran</>;
  const tests = <FailingTests tests={item.tests} />;
  if (item.kind === "job")
    return (
      <>
        <StateOf state={item.state} />
        {tests}
      </>
    );
  const trouble = troubleOf(freshness);
  const age = trouble || (written || !item.touchedAt ? "" : `seen ${agoShort(item.touchedAt, Date.now())}`);
  return (
    <>
      {item.stale && <Stale />}
      {tests}
      <span className="place">{place}</span>
      {age && <span className={trouble ? "written changed" : "written"}>{age}</span>}
    </>
  );
}

/** How a node is named to who does not see it. */
export function spoken(item: Item, inputs: number, outputs: number, now: number): string {
  const counts = `${inputs} input${inputs === 1 ? "" : "s"}, ${outputs} output${outputs === 1 ? "" : "s"}`;
  if (item.kind === "job")
    return `job ${item.name}, ${item.state ? `${item.state.toLowerCase()} ${ago(item.endedAt ?? item.startedAt, now)}` : "never ran"}, ${counts}`;
  return `dataset ${item.name}${item.stale ? ", stale" : ""}${item.tests?.failed ? `, ${plural(item.tests.failed, "test fails", "tests fail")}` : ""}, ${item.fieldCount} columns, ${counts}`;
}

// Sizes of the text, as the styles have them.
const SIZES_PX: Readonly<Record<string, number>> = { "zoom-large": 15, "zoom-name": 20 };
const SIZE_PX = 13;

const GAP_PX = 13;

interface Props {
  of: Title;
  width: number;
  lines?: number;
  /** The age at the end of the first line, with its hint. */
  age?: { text: string; hint: string } | undefined;
}

export function BoxTitle({ of: { title, alike }, width, lines = 2, age }: Props) {
  const level = useStore(zoomLevel);
  const cut = useMemo(() => {
    const widthOf = widthIn(SIZES_PX[level] ?? SIZE_PX);
    const taken = age?.text ? widthOf(age.text) + GAP_PX : 0;
    return cutToLines(title, { lines, width, widthOf, taken }, alike);
  }, [title, alike, lines, width, level, age?.text]);
  return (
    <span className="title">
      <span>
        {age?.text && (
          <span className="age" title={age.hint}>
            {age.text}
          </span>
        )}
        <bdi>
          <Name text={cut} />
        </bdi>
      </span>
    </span>
  );
}
