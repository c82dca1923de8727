/** A group of nodes as a box: its title, and its jobs by health. */

import "./card.css";
import "./group-box.css";

import { count, plural } from "../model/format";
import type { Health } from "../model/freshness";
import type { Group } from "../model/groups";
import { KindOf } from "../parts/signs";

export const GROUP = { width: 200, height: 92 };

const HEALTHS: readonly (readonly [Health, string, string])[] = [
  ["failed", "✕", "failed"],
  ["running", "▸", "running"],
  ["fresh", "✓", "completed"],
  ["unknown", "·", "never ran"],
];

const countsOf = ({ healths }: Group) =>
  HEALTHS.flatMap(([health, sign, word]) => {
    const number = healths[health] ?? 0;
    return number ? [{ health, sign, word, number }] : [];
  });

export const sizeOf = ({ datasets, jobs }: Group) =>
  [datasets && plural(datasets, "dataset"), jobs && plural(jobs, "job")].filter(Boolean).join(" · ");

/** How a group is named to who does not see it. */
export const spokenGroup = (group: Group) =>
  [`group ${group.title}`, sizeOf(group), ...countsOf(group).map(({ number, word }) => `${number} ${word}`)].join(", ");

export function GroupBox({ group, muted = false }: { group: Group; muted?: boolean }) {
  const counts = countsOf(group);
  return (
    <div className={`group-box ${muted ? "is-muted" : ""}`} title={`${group.title}\n${group.namespace}`}>
      <b>
        <KindOf of="dataset" namespace={group.namespace} />
        <span>{group.title}</span>
      </b>
      <div className="muted">{sizeOf(group)}</div>
      <div className="healths">
        {counts.map(({ health, sign, word, number }) => (
          <span key={health} className={`health-${health}`} title={`${number} ${word}`}>
            {sign} {count(number)}
          </span>
        ))}
      </div>
      <div className="parts" aria-hidden="true">
        {counts.map(({ health, number }) => (
          <i key={health} className={`health-${health}`} style={{ flex: number }} />
        ))}
      </div>
    </div>
  );
}
