/** The run behind a row: a field of a dataset's page, and the SQL of a run's rows. */

import type { ComponentType } from "react";
import type { Feature } from "../../api/client";
import type { Run } from "../../api/queries";
import { ChangedRows, RowCard } from "./row";

export const OF_DATASET: readonly [Feature, ComponentType<{ node: string }>][] = [["getRow", RowCard]];
export const OF_OUTPUT: readonly [Feature, ComponentType<{ use: Run["outputDatasetVersions"][number] }>][] = [
  ["getRow", ChangedRows],
];
