/** All that lies downstream of a node, with how far and through what. */

import type { Item } from "./graph";

/** How a column's values reach something: by direct steps, masked on every path, and whether that is known. */
export interface Reach {
  direct: boolean;
  masked: boolean;
  certain: boolean;
}

export interface Impacted {
  /** Of a column: its dataset, under the id and name of the column. */
  item: Item;
  /** Of what lies downstream of a column. */
  how?: Reach;
  hops: number;
  /** The ids of the nodes that lead to it, of those one hop nearer. */
  through: readonly string[];
}

export interface Impact {
  impacted: readonly Impacted[];
  truncated: boolean;
}
