/** How much of a box's text is drawn at a scale. */

import type { ReactFlowState } from "@xyflow/react";

/** The least scales at which a box has all its text, larger text, or its name alone. */
const FULL_FROM = 0.88;
export const LARGE_FROM = 0.74;
const NAME_FROM = 0.25;

export function zoomLevel({ transform: [, , scale] }: ReactFlowState): string {
  if (scale >= FULL_FROM) return "zoom-full";
  if (scale >= LARGE_FROM) return "zoom-large";
  return scale >= NAME_FROM ? "zoom-name" : "zoom-block";
}
