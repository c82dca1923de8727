/** A node for tests: a job if its id begins so. */

import type { Item } from "./graph";

export function anItem(id: string, change: Partial<Item> = {}): Item {
  return {
    id,
    kind: id.startsWith("job") ? "job" : "dataset",
    namespace: "n",
    name: id,
    known: true,
    state: null,
    runId: null,
    startedAt: null,
    endedAt: null,
    touchedAt: null,
    incomplete: false,
    otherParts: [],
    stale: false,
    temporary: false,
    fieldCount: 0,
    fields: [],
    description: null,
    owners: [],
    tags: [],
    tests: null,
    createdAt: null,
    ...change,
  };
}
