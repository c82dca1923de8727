/** Trees of records, folded: records with the same action at the same place make a line with a count. */

import type { components } from "../api/schema";
import { groupBy } from "./group-by";

export interface Step {
  node_id: string;
  parent_id: string;
  action_taken: string;
  recordedAt: number;
  storage_location: string;
  root_id?: string;
  run_id?: string | null;
  metadata?: Record<string, unknown> | null;
}

export type Group = components["schemas"]["OutlineGroup"];

/** Records with the same action at the same place. */
export interface Fold extends Omit<Group, "id" | "parent" | "examples"> {
  key: string;
  examples: readonly Pick<Step, "node_id" | "storage_location">[];
  children: Fold[];
}

const EXAMPLES = 3;

/** Nest the groups of an outline: each after its parent. A group without its parent goes to the top. */
export function nestGroups(groups: readonly Group[]): Fold[] {
  const tops: Fold[] = [],
    folds = new Map<number, Fold>();
  for (const group of groups) {
    const fold = { ...group, key: String(group.id), children: [] };
    folds.set(group.id, fold);
    (group.parent === null ? tops : (folds.get(group.parent)?.children ?? tops)).push(fold);
  }
  return tops;
}

/** Fold the records below a record by action, level by level; each record counts once. */
export function outlineOf(records: readonly Step[], root: string): Fold[] {
  const ids = new Set(records.map((record) => record.node_id));
  // A record without its parent goes below the root: nothing may be lost.
  const below = groupBy(records, ({ node_id, parent_id }) =>
    parent_id !== node_id && ids.has(parent_id) ? parent_id : root,
  );
  const met = new Set<string>();
  const isNew = ({ node_id }: Step) => !met.has(node_id) && met.add(node_id);
  const fold = (parents: readonly string[]): Fold[] => {
    const steps = parents.flatMap((parent) => below.get(parent) ?? []).filter(isNew);
    return [...groupBy(steps, ({ action_taken }) => action_taken)]
      .sort(([, a], [, b]) => least(times(a)) - least(times(b)) || (a[0]!.action_taken < b[0]!.action_taken ? -1 : 1))
      .map(([action, steps]) => ({
        key: action,
        action_taken: action,
        records: steps.length,
        leaves: steps.filter(({ node_id }) => !below.has(node_id)).length,
        firstRecordedAt: least(times(steps)),
        lastRecordedAt: most(times(steps)),
        complete: true,
        examples: steps.slice(0, EXAMPLES),
        children: fold(steps.map((step) => step.node_id)),
      }));
  };
  return fold([root]);
}

/** The steps up to a record in the lines of a trace, whose last step is the archive's own; none if no line has it. */
export function recordPath(lines: readonly Record<string, unknown>[], root: string, node: string): Step[] | null {
  for (const line of lines) {
    if (line["root_id"] !== root || !Array.isArray(line["lineage"])) continue;
    const steps = (line["lineage"] as Step[]).slice(0, -1);
    const at = steps.findIndex((step) => step.node_id === node);
    if (at >= 0) return steps.slice(0, at + 1).map((step) => ({ ...step, root_id: root }));
  }
  return null;
}

const times = (steps: readonly Step[]) => steps.map((step) => step.recordedAt);
const least = (values: readonly number[]) => values.reduce((a, b) => Math.min(a, b), Infinity);
const most = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b), -Infinity);
