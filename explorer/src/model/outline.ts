/** The tree of a root's records, folded: what did the same at the same place of the tree is one line, with a count. */

export interface Step {
  node_id: string;
  parent_id: string;
  action_taken: string;
  recordedAt: number;
  storage_location: string;
}

export interface Fold {
  action: string;
  count: number;
  first: number;
  last: number;
  examples: readonly Step[];
  children: readonly Fold[];
}

const EXAMPLES = 3;

/** Fold the records below each of some parents by action, level by level; a record that was met is met once. */
export function outlineOf(records: readonly Step[], root: string): Fold[] {
  const below = new Map<string, Step[]>();
  const ids = new Set(records.map((record) => record.node_id));
  for (const record of records) {
    // What hangs on a parent that is not here hangs on the root: it must not be lost.
    const parent = record.parent_id !== record.node_id && ids.has(record.parent_id) ? record.parent_id : root;
    below.set(parent, [...(below.get(parent) ?? []), record]);
  }
  const met = new Set<string>();
  const fold = (parents: readonly string[]): Fold[] => {
    const groups = new Map<string, Step[]>();
    for (const record of parents.flatMap((parent) => below.get(parent) ?? [])) {
      if (met.has(record.node_id)) continue;
      met.add(record.node_id);
      groups.set(record.action_taken, [...(groups.get(record.action_taken) ?? []), record]);
    }
    return [...groups].sort(([, a], [, b]) => least(times(a)) - least(times(b)) || (a[0]!.action_taken < b[0]!.action_taken ? -1 : 1)).map(([action, steps]) => ({
      action, count: steps.length, first: least(times(steps)), last: most(times(steps)), examples: steps.slice(0, EXAMPLES), children: fold(steps.map((step) => step.node_id)),
    }));
  };
  return fold([root]);
}

const times = (steps: readonly Step[]) => steps.map((step) => step.recordedAt);
const least = (values: readonly number[]) => values.reduce((a, b) => Math.min(a, b), Infinity);
const most = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b), -Infinity);
