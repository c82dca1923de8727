/** Whom a change reaches: the impacted jobs and datasets by owner, and a message to each. */

import { plural, utc } from "./format";
import { effectOf, type Impacted } from "./impact";

const OTHER_PART = "its last run read another part than was last written";

export interface Reached {
  /** Empty where no owner is known. */
  owner: string;
  jobs: string[];
  datasets: string[];
  /** Hops to the nearest. */
  hops: number;
}

/** Return the owners, the nearest first; columns count as their datasets, which are in the list, too. */
export function byOwner(impacted: readonly Impacted[]): Reached[] {
  const byName = new Map<string, Reached>();
  for (const { item, hops, otherPart, how } of impacted) {
    if (item.id.startsWith("datasetField:")) continue;
    for (const owner of item.owners.length ? item.owners : [""]) {
      const reached = byName.get(owner) ?? { owner, jobs: [], datasets: [], hops };
      const notes = [how && effectOf(how), otherPart && OTHER_PART].filter(Boolean).join(", ");
      (item.kind === "job" ? reached.jobs : reached.datasets).push(notes ? `${item.name} (${notes})` : item.name);
      byName.set(owner, { ...reached, hops: Math.min(reached.hops, hops) });
    }
  }
  const isUnknown = ({ owner }: Reached) => Number(owner === "");
  return [...byName.values()].sort(
    (a, b) => isUnknown(a) - isUnknown(b) || a.hops - b.hops || (a.owner < b.owner ? -1 : 1),
  );
}

export const countOf = ({ jobs, datasets }: Pick<Reached, "jobs" | "datasets">) =>
  [jobs.length && plural(jobs.length, "job"), datasets.length && plural(datasets.length, "dataset")]
    .filter(Boolean)
    .join(" and ");

/** Return a message to an owner: what a change does to their data, with the time and the address of the list. */
export function messageTo(
  { owner, jobs, datasets, hops }: Reached,
  changed: string,
  at: { time: string; address: string },
): string {
  return [
    `To ${owner || "whom it concerns"}: a change of ${changed} reaches ${countOf({ jobs, datasets })} of yours, the nearest ${plural(hops, "hop")} away.`,
    ...[...datasets, ...jobs].map((name) => `- ${name}`),
    `As of ${utc(at.time).slice(0, 16)} UTC: ${at.address}`,
  ].join("\n");
}
