/** News and coverage: views that load when opened; a card and a link of the start. */

import type { ComponentType } from "react";
import type { Feature } from "../../api/client";
import { lazyView, type ViewAt } from "../../parts/boundary";
import type { View } from "../../url/state";
import { Changed } from "./changed";

export const VIEWS: readonly ViewAt[] = [
  ["/feed", lazyView(() => import("./feed"), "FeedView"), "listFeed"],
  ["/coverage", lazyView(() => import("./coverage"), "CoverageView"), "reportCoverage"],
];
export const CARDS: readonly [Feature, ComponentType][] = [["listFeed", Changed]];
export const REPORTS: readonly [View, string][] = [["coverage", "coverage"]];
