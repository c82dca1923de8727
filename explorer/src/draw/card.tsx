/** A dataset's card, a job's pill, a fold. */

import { memo } from "react";
import { ago, agoShort, count, plural } from "../model/format";
import type { Freshness } from "../model/freshness";
import type { Fold, Item } from "../model/graph";
import { cutFront, type Title } from "../model/titles";
import { Name } from "../parts/name";
import { SignOf, signOfState } from "../parts/signs";
import { FailingTests } from "../parts/tests";
import type { Side } from "../url/state";

export const CARD = { width: 256, height: 54 };
export const FOLD = { width: 148, height: 36 };
export const STUB = { width: 168, height: 30 };
// Two lines of a card.
export const NAME_CHARS_MAX = 56;
const STUB_CHARS_MAX = 18;

export interface CardLook {
  focus: boolean;
  selected: boolean;
  muted: boolean;
  change?: "added" | "removed" | "changed" | undefined;
  freshness?: Freshness | undefined;
}

const CHANGE = { added: "+ added", removed: "− removed", changed: "~ changed" };

export const Card = memo(function Card({
  item,
  title,
  look,
  more,
  onMore,
}: {
  item: Item;
  title: Title;
  look: CardLook;
  more: Record<Side, number>;
  onMore: (side: Side) => void;
}) {
  const trouble = item.state === "FAILED" || item.state === "ABORTED" || (item.tests?.failed ?? 0) > 0;
  const marks = [
    trouble && "has-trouble",
    item.stale && "is-stale",
    look.focus && "is-focus",
    look.selected && "is-selected",
    look.muted && "is-muted",
    look.change && `is-${look.change}`,
    !item.known && "is-unknown",
  ]
    .filter(Boolean)
    .join(" ");
  return (
    <div className={`box of-${item.kind} ${marks}`} title={titled(item)}>
      <div className="name">
        <span className={`kind-${item.kind}`} style={{ display: "inline-flex" }}>
          <SignOf of={item.kind} />
        </span>
        <span>
          <Name text={cutFront(title.title, NAME_CHARS_MAX)} />
        </span>
        {item.tags.length > 0 && (
          <span className="tagged" title={`tagged ${item.tags.join(", ")}`}>
            <SignOf of="tag" label={`tagged ${item.tags.join(", ")}`} />
          </span>
        )}
      </div>
      <div className="about">
        {item.kind === "job" ? (
          <JobFacts item={item} />
        ) : (
          <DatasetFacts item={item} place={title.place} freshness={look.freshness} />
        )}
      </div>
      {look.change && <span className={`mark ${look.change}`}>{CHANGE[look.change]}</span>}
      {(["up", "down"] as const).map(
        (side) =>
          more[side] > 0 && (
            <button
              key={side}
              className={`more nodrag nopan ${side}`}
              aria-label={`show ${more[side]} more ${side === "up" ? "upstream" : "downstream"} of ${item.name}`}
              onClick={(event) => {
                event.stopPropagation();
                onMore(side);
              }}
            >
              +{count(more[side])}
            </button>
          ),
      )}
    </div>
  );
});

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

/** What a hint says of a dataset's age. */
function aged(item: Item, freshness: Freshness | undefined): string {
  const parts = [`written ${ago(item.touchedAt, Date.now())}`];
  if (freshness?.late) parts.push("its writer's last run failed");
  if (freshness?.builtOn) parts.push(`built on data of ${ago(freshness.builtOn, Date.now())}`);
  return parts.join("; ");
}

function JobFacts({ item }: { item: Item }) {
  if (!item.known) return <>not yours to see</>;
  if (!item.state) return <>never ran</>;
  return (
    <>
      <span className={`state state-${item.state}`}>
        <SignOf of={signOfState(item.state)} />
        {item.state.toLowerCase()}
      </span>
      <FailingTests tests={item.tests} />
      {item.state === "RUNNING"
        ? `for ${agoShort(item.startedAt, Date.now()).replace(/ ago$/, "")}`
        : agoShort(item.endedAt ?? item.startedAt, Date.now())}
    </>
  );
}

function DatasetFacts({ item, place, freshness }: { item: Item; place: string; freshness: Freshness | undefined }) {
  if (!item.known) return <>not yours to see</>;
  return (
    <>
      {item.stale && (
        <span className="state stale">
          <SignOf of="stale" />
          stale
        </span>
      )}
      <FailingTests tests={item.tests} />
      <span className="place">{place}</span>
      {item.touchedAt && (
        <span className={freshness ? "written changed" : "written"} title={aged(item, freshness)}>
          {freshness?.late && "late, "}
          {agoShort(item.touchedAt, Date.now())}
          {freshness?.builtOn && " on old data"}
        </span>
      )}
    </>
  );
}

export function FoldBox({ fold, selected, muted }: { fold: Fold; selected: boolean; muted: boolean }) {
  return (
    <div className={`box of-fold ${selected ? "is-selected" : ""} ${muted ? "is-muted" : ""}`}>
      <div className="name">
        <span>{moreOf(fold)}</span>
      </div>
    </div>
  );
}

/** A hub that is drawn at one of its readers. */
export function StubBox({
  title,
  item,
  selected,
  muted,
}: {
  title: string;
  item: Item;
  selected: boolean;
  muted: boolean;
}) {
  return (
    <div
      className={`box of-fold of-stub ${selected ? "is-selected" : ""} ${muted ? "is-muted" : ""}`}
      title={`${item.name}\n${item.namespace}\nread by many jobs: click to draw its lines`}
    >
      <div className="name">
        <span aria-hidden="true">⊣</span>
        <span>{cutFront(title, STUB_CHARS_MAX)}</span>
      </div>
    </div>
  );
}

/** "1,992 more"; of what is counted in an index, "about 1,992 more". */
export const moreOf = ({ count: left, exact }: Pick<Fold, "count" | "exact">) =>
  `${exact ? "" : "about "}${count(left)} more`;

/** How a node is named to who does not see it. */
export function spoken(item: Item, inputs: number, outputs: number, now: number): string {
  const counts = `${inputs} input${inputs === 1 ? "" : "s"}, ${outputs} output${outputs === 1 ? "" : "s"}`;
  if (item.kind === "job")
    return `job ${item.name}, ${item.state ? `${item.state.toLowerCase()} ${ago(item.endedAt ?? item.startedAt, now)}` : "never ran"}, ${counts}`;
  return `dataset ${item.name}${item.stale ? ", stale" : ""}${item.tests?.failed ? `, ${plural(item.tests.failed, "test fails", "tests fail")}` : ""}, ${item.fieldCount} columns, ${counts}`;
}
