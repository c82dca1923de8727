/** All nodes downstream of a node, and whom a change reaches, with a message to each. */

import type { components } from "../api/schema";
import { datasetOf } from "../url/ids";
import { plural, utc } from "./format";
import type { Item } from "./graph";
import { groupBy } from "./group-by";

/** How a column's values reach a node: directly, masked on every path, or unknown. */
type Reach = Pick<components["schemas"]["Flow"], "direct" | "masked" | "certain">;

export interface Impacted {
  /** Of a column: its dataset, under the id and name of the column. */
  item: Item;
  /** For a column's impact. */
  how?: Reach;
  hops: number;
  /** The ids of its sources, one hop nearer. */
  through: readonly string[];
  /** True of a job whose last run read an older part of its inputs. */
  otherPart?: boolean;
}

export interface Impact {
  impacted: readonly Impacted[];
  truncated: boolean;
}

/** The effect of a column's change: values stop, rows change, or unknown. */
export type Effect = "breaks" | "masked" | "rows change" | "perhaps";

/** The meaning of each effect, worst first. */
export const EFFECTS: Readonly<Record<Effect, string>> = {
  breaks: "its values come from the column",
  "rows change": "a join, a filter or a group by the column decides its rows",
  masked: "its values come from the column, masked",
  perhaps: "its job reads the column's dataset and reported no columns",
};

export function effectOf({ direct, masked, certain }: Reach): Effect {
  if (!certain) return "perhaps";
  return masked ? "masked" : direct ? "breaks" : "rows change";
}

/** Return the harm of an effect, worst first; 0 where none is known. */
export const harmOf = ({ how }: Impacted): number => (how ? Object.keys(EFFECTS).indexOf(effectOf(how)) : 0);

/** The filter of an impact; an empty text filters nothing. */
export interface ImpactFilter {
  kind: string;
  owner: string;
  effect: string;
  text: string;
}

// The choice for nodes without an owner.
export const NO_OWNER = "-";

const kindOfItem = ({ item }: Impacted) => (item.id.startsWith("datasetField:") ? "field" : item.kind);

/** Return the filtered nodes, most harm first. Without a kind, columns are in the rows of their datasets. */
export function narrowed(impacted: readonly Impacted[], { kind, owner, effect, text }: ImpactFilter): Impacted[] {
  const words = text.toLowerCase();
  const kept = impacted.filter((row) => {
    const { owners, name, namespace } = row.item;
    return (
      (kind ? kindOfItem(row) === kind : kindOfItem(row) !== "field") &&
      (!owner || (owner === NO_OWNER ? owners.length === 0 : owners.includes(owner))) &&
      (!effect || (row.how !== undefined && effectOf(row.how) === effect)) &&
      `${name} ${namespace} ${owners.join()}`.toLowerCase().includes(words)
    );
  });
  return kept.sort((a, b) => harmOf(a) - harmOf(b));
}

/** Return the impacted columns of each dataset, by the dataset's namespace and name. */
export function columnsByDataset(impacted: readonly Impacted[]): Map<string, string[]> {
  const ids = impacted.filter((row) => kindOfItem(row) === "field").map(({ item }) => item.id);
  const fieldOf = (id: string) => id.slice(id.lastIndexOf(":") + 1);
  return new Map([...groupBy(ids, datasetOf)].map(([dataset, columns]) => [dataset, columns.map(fieldOf)]));
}

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

/** Return a message to an owner: the effect of a change on their data, with the time and the address of the list. */
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
