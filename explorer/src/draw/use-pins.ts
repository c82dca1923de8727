/** The places of boxes that a reader moved: they stay there until the picture is another one. */

import type { NodeChange } from "@xyflow/react";
import { useCallback, useEffect, useState } from "react";

import type { Point } from "../layout/boxes";

export type Pins = Readonly<Record<string, Point>>;

export function usePins(picture: string) {
  const [pins, setPins] = useState<Pins>({});
  // biome-ignore lint/correctness/useExhaustiveDependencies: nothing of the old picture is pinned in another
  useEffect(() => setPins({}), [picture]);
  const move = useCallback((changes: NodeChange[]) => {
    for (const change of changes) {
      if (change.type !== "position" || !change.position || !change.dragging) continue;
      const { id, position } = change;
      setPins((now) => ({ ...now, [id]: position }));
    }
  }, []);
  return { pins, move };
}
