/** Flows of the columns that have a tag, by what is to be done about them. */

import type { components } from "../api/schema";

type Schemas = components["schemas"];
type Column = Schemas["ReportedColumn"];
type Flow = Omit<Schemas["Flow"], "status" | "jobs">;

const keyOf = ({ dataset, field }: Column) => JSON.stringify([dataset.namespace, dataset.name, field]);

/**
 * Return the flows that hold a tag's data unmasked without having the tag, the certain and the nearest first; those of
 * them that failed runs alone reported; and the rest: tagged as well, masked, or merely by a condition.
 */
export function sortFlows<F extends Flow>(flows: readonly F[], tagged: readonly { column: Column }[]) {
  const known = new Set(tagged.map(({ column }) => keyOf(column)));
  const sorted = [...flows].sort((a, b) => Number(b.certain) - Number(a.certain) || a.hops - b.hops);
  const isUntagged = (flow: F) => flow.direct && !flow.masked && !known.has(keyOf(flow.column));
  return {
    untagged: sorted.filter((flow) => isUntagged(flow) && !flow.failed),
    failed: sorted.filter((flow) => isUntagged(flow) && flow.failed),
    rest: sorted.filter((flow) => !isUntagged(flow)),
  };
}
