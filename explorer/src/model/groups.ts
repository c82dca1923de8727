/** Groups of a graph: datasets of a folder, a namespace, an owner or a DAG, with their writers. */

import type { Grouping } from "../url/state";
import { segmentsOf, sharedDepth } from "./folders";
import { type Health, healthOf } from "./freshness";
import { type Arrow, type Item, type Lineage, rankOf } from "./graph";
import { groupBy } from "./group-by";
import { shortOf } from "./titles";

export interface Group {
  id: string;
  title: string;
  /** The shared namespace of the datasets; else empty. */
  namespace: string;
  datasets: number;
  jobs: number;
  /** The number of jobs by health. */
  healths: Readonly<Partial<Record<Health, number>>>;
}

export interface Grouped {
  /** The drawn groups by id; an open group is drawn if it has more members than are drawn. */
  groups: ReadonlyMap<string, Group>;
  /** The drawn members of open groups. */
  members: readonly string[];
  /** Each with the number of jobs along it. */
  arrows: readonly (Arrow & { jobs: number })[];
  open: readonly { id: string; title: string }[];
}

export const GROUPS_MAX = 24;
export const MEMBERS_MAX = 24;
const REST = "group:";

interface Member {
  key: string;
  title: string;
}

/** Group the given nodes. An open folder has its folders as groups; another open group shows its members. */
export function groupsOf(lineage: Lineage, ids: Iterable<string>, by: Grouping, opened: readonly string[]): Grouped {
  const items = [...ids].flatMap((id) => lineage.items.get(id) ?? []);
  const keys = joinSmall(keysOf(lineage, items, by, new Set(opened)));
  const byGroup = groupBy(items, ({ id }) => keys.get(id)!.key);
  const at = new Map<string, string>();
  const groups = new Map<string, Group>();
  const members: string[] = [];
  for (const [key, all] of [...byGroup].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const { title } = keys.get(all[0]!.id)!;
    const id = REST + key;
    const drawn = opened.includes(id) ? mostUrgent(all) : [];
    for (const item of drawn) {
      members.push(item.id);
      at.set(item.id, item.id);
    }
    const left = all.filter((item) => !at.has(item.id));
    for (const item of left) at.set(item.id, id);
    if (left.length) groups.set(id, toGroup(id, title, left));
  }
  const open = opened.map((id) => ({ id, title: id.slice(Math.max(id.lastIndexOf("\n") + 1, REST.length)) || "rest" }));
  return { groups, members, arrows: arrowsOfGroups(lineage, at), open };
}

const mostUrgent = (items: readonly Item[]) =>
  [...items].sort((a, b) => rankOf(a.state) - rankOf(b.state) || (a.id < b.id ? -1 : 1)).slice(0, MEMBERS_MAX);

function toGroup(id: string, title: string, items: readonly Item[]): Group {
  const jobs = items.filter(({ kind }) => kind === "job"),
    datasets = items.filter(({ kind }) => kind === "dataset");
  const byHealth = groupBy(jobs, (job) => healthOf(job, null).health);
  const [first] = datasets;
  const isShared = first && datasets.every(({ namespace }) => namespace === first.namespace);
  return {
    id,
    title,
    namespace: isShared ? first.namespace : "",
    datasets: datasets.length,
    jobs: jobs.length,
    healths: Object.fromEntries([...byHealth].map(([health, ofHealth]) => [health, ofHealth.length])),
  };
}

/** Return the arrows between the drawn nodes and groups. A job within a group leads from its inputs to its outputs. */
function arrowsOfGroups({ down, up, items, controls }: Lineage, at: ReadonlyMap<string, string>): Grouped["arrows"] {
  const jobs = new Map<string, { from: string; to: string; along: Set<string> }>();
  const add = (from: string, to: string, job: string) => {
    const [start, end] = [at.get(from), at.get(to)];
    if (!start || !end || start === end) return;
    const key = `${start}→${end}`;
    if (!jobs.has(key)) jobs.set(key, { from: start, to: end, along: new Set() });
    jobs.get(key)!.along.add(job);
  };
  const isData = (from: string, to: string) => !controls.has(`${from}→${to}`);
  for (const [id, place] of at) {
    const inputs = (up.get(id) ?? []).filter((from) => isData(from, id)),
      outputs = (down.get(id) ?? []).filter((to) => isData(id, to));
    if (items.get(id)?.kind === "dataset") {
      // A view is beside its source datasets.
      for (const to of outputs) if (items.get(to)?.kind === "dataset") add(id, to, to);
    } else {
      const isDrawn = place === id;
      for (const from of inputs) for (const to of isDrawn || !outputs.length ? [id] : outputs) add(from, to, id);
      if (isDrawn || !inputs.length) for (const to of outputs) add(id, to, id);
    }
  }
  return [...jobs.values()].map(({ from, to, along }) => ({ from, to, jobs: along.size }));
}

/** Return the group of each node. A job belongs to the group of its first output, else of its first input. */
function keysOf(lineage: Lineage, items: readonly Item[], by: Grouping, opened: ReadonlySet<string>) {
  const keys = new Map<string, Member>();
  const datasets = items.filter(({ kind }) => kind === "dataset");
  const ofDataset = by === "folder" ? foldersOf(datasets, opened) : (item: Item) => memberOf(lineage, item, by);
  for (const item of datasets) keys.set(item.id, ofDataset(item));
  for (const job of items) {
    if (job.kind !== "job") continue;
    const beside = [...(lineage.down.get(job.id) ?? []), ...(lineage.up.get(job.id) ?? [])];
    const first = beside.find((id) => keys.has(id) && lineage.items.get(id)?.kind === "dataset");
    const isByData = by === "folder" || by === "namespace";
    keys.set(job.id, isByData && first ? keys.get(first)! : memberOf(lineage, job, by));
  }
  return keys;
}

/** Return the group of a dataset by its folder: the first segment after the shared segments of the namespace. */
function foldersOf(datasets: readonly Item[], opened: ReadonlySet<string>): (item: Item) => Member {
  const byNamespace = groupBy(datasets, ({ namespace }) => namespace);
  const depths = new Map([...byNamespace].map(([name, items]) => [name, sharedDepth(items.map(segmentsOf))]));
  return (item) => {
    const { namespace } = item;
    const segments = segmentsOf(item);
    const most = segments.length - 1;
    let depth = Math.min(depths.get(namespace)! + 1, most);
    const keyAt = (end: number) => [namespace, ...segments.slice(0, end)].join("\n");
    while (depth < most && opened.has(REST + keyAt(depth))) depth++;
    return { key: keyAt(depth), title: depth > 0 ? segments[depth - 1]! : shortOf(namespace) };
  };
}

function memberOf({ items, up }: Lineage, item: Item, by: Grouping): Member {
  const writer = item.kind === "job" ? item : items.get(up.get(item.id)?.[0] ?? "");
  if (by === "owner") {
    const key = item.owners[0] ?? writer?.owners[0] ?? "";
    return { key, title: key || "no owner" };
  }
  if (by === "dag") return { key: writer?.parent ?? "", title: writer?.parent ?? "no DAG" };
  return { key: item.namespace, title: shortOf(item.namespace) };
}

/** Join the smallest of too many groups. */
function joinSmall(keys: Map<string, Member>): Map<string, Member> {
  const byKey = [...groupBy(keys.values(), ({ key }) => key)];
  if (byKey.length <= GROUPS_MAX) return keys;
  const large = byKey.sort(([a, all], [b, other]) => other.length - all.length || (a < b ? -1 : 1));
  const kept = new Set(large.slice(0, GROUPS_MAX - 1).map(([key]) => key));
  const rest = { key: REST, title: `${byKey.length - kept.size} smaller groups` };
  return new Map([...keys].map(([id, member]) => [id, kept.has(member.key) ? member : rest]));
}
