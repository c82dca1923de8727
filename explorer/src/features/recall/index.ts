/** The versions made of a run or of a version: a view, and the links to it. */

import type { Feature } from "../../api/client";
import { lazyView, type ViewAt } from "../../parts/boundary";
import type { View } from "../../url/state";

export const VIEWS: readonly ViewAt[] = [["/recall", lazyView(() => import("./recall"), "RecallView"), "reportRecall"]];
export const OF_LOAD: readonly [Feature, View, string][] = [["reportRecall", "recall", "What is made of this"]];
