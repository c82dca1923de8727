/** A node that is known by its id alone. */

import { cutsOf } from "../url/ids";
import type { Item } from "./graph";

export function blankItem(id: string, kind: "dataset" | "job"): Item {
  const { namespace, name } = cutsOf(id)[0] ?? { namespace: "", name: id };
  return {
    id,
    kind,
    namespace,
    name,
    known: false,
    state: null,
    runId: null,
    startedAt: null,
    endedAt: null,
    durationMs: null,
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
    parent: null,
  };
}
