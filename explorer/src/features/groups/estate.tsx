/** The estate on a map: its groups, opened in place. */

import { useQuery } from "@tanstack/react-query";
import { useSearch } from "wouter";
import { Loaded, useTitle } from "../../parts/frame";
import { parseMap } from "../../url/state";
import { DrawnMap } from "../../views/map/map";
import { ESTATE } from "./picture";

export function EstateView() {
  useTitle("All jobs and their datasets");
  const result = useQuery(ESTATE);
  const state = parseMap(useSearch());
  return (
    <Loaded of={result} rows={9}>
      {(lineage) => (
        <DrawnMap
          state={{ ...state, node: "", by: state.by || "folder", at: "", vs: "" }}
          data={{ focus: result, lineage, comparison: null, isLate: false, failure: null, retry: () => undefined }}
          whole={lineage}
        />
      )}
    </Loaded>
  );
}
