/** What stands in the corner of a picture: its legend, and the buttons that zoom and fit. */

import type { RefObject } from "react";

import { Legend } from "../parts/legend";
import type { Handled } from "./use-sight";

export function Corner({ of, handled }: { of: "map" | "columns"; handled: RefObject<Handled | null> }) {
  return (
    <div className="corner">
      <Legend of={of} />
      <button className="button" aria-label="zoom out" onClick={() => handled.current?.zoom(0.8)}>
        −
      </button>
      <button className="button" aria-label="zoom in" onClick={() => handled.current?.zoom(1.25)}>
        +
      </button>
      <button className="button" title="f" onClick={() => handled.current?.fit()}>
        Fit
      </button>
    </div>
  );
}
