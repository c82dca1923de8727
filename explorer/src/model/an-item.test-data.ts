/** A node for tests: a job if its id begins so. */

import { blankItem } from "./blank-item";
import type { Item } from "./graph";

export function anItem(id: string, change: Partial<Item> = {}): Item {
  const kind = id.startsWith("job") ? "job" : "dataset";
  return { ...blankItem(id, kind), namespace: "n", name: id, known: true, ...change };
}
