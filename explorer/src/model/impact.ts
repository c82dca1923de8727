/** All that lies downstream of a node, with how far and through what. */

import type { Item } from "./graph";

export interface Impacted {
  item: Item;
  hops: number;
  /** The ids of the nodes that lead to it, of those one hop nearer. */
  through: readonly string[];
}

export interface Impact {
  impacted: readonly Impacted[];
  truncated: boolean;
}
