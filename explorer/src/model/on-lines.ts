/** Jobs on lines: a job with a single output is a sign on the arrow before its table. */

import type { Lineage, Shown } from "./graph";

/** Return the drawn jobs with a single output, all of whose outputs are drawn; `boxes` stay boxes. */
export function jobsOnLines(
  { items, degrees, down }: Lineage,
  { hops }: Shown,
  boxes: ReadonlySet<string>,
): Set<string> {
  return new Set(
    [...hops.keys()].filter((id) => {
      const [output] = down.get(id) ?? [];
      const isSingle = degrees.get(id)?.down === 1 && output !== undefined && hops.has(output);
      return isSingle && items.get(id)?.kind === "job" && items.get(output)?.kind === "dataset" && !boxes.has(id);
    }),
  );
}
