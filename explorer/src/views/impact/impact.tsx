/** Impact: everything that is made of a dataset or a column, or by a job, as a table and as CSV. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";

import { impact as fetchImpact } from "../../api/report-queries";
import type { ImpactFilter } from "../../model/impact";
import { Choices, MainLink } from "../../parts/controls";
import { EmptyState, Loaded, NodeHead, useAddress, useTitle } from "../../parts/frame";
import { kindOf, nameOf } from "../../url/ids";
import { columnsLink, DEPTH_MAX, link, mapLink, parseDepth } from "../../url/state";
import { ByOwner } from "./owners";
import { Table } from "./table";

export const KINDS: readonly [string, string][] = [
  ["", "All"],
  ["field", "Columns"],
  ["dataset", "Datasets"],
  ["job", "Jobs"],
];

/** The filter of the view; what is chosen is in its address, the text is not. */
export interface Narrowing extends ImpactFilter {
  change: (changes: Partial<Pick<ImpactFilter, "kind" | "owner" | "effect">>) => void;
  setText: (text: string) => void;
}

/** What the address of the view says, and its filter. */
function useImpactState() {
  const { node, depth: given, ...chosen } = useAddress("node", "depth", "kind", "owner", "effect");
  const [, navigate] = useLocation();
  const [text, setText] = useState("");
  const depth = parseDepth(given, DEPTH_MAX);
  const change: Narrowing["change"] = (changes) =>
    navigate(link("impact", { node, ...chosen, ...changes, depth: depth === DEPTH_MAX ? "" : depth }), {
      replace: true,
    });
  const narrowing: Narrowing = { ...chosen, text, setText, change };
  return { node, depth, narrowing };
}

export function ImpactView() {
  const { node, depth, narrowing } = useImpactState();
  useTitle(node ? `Impact of ${nameOf(node).field ?? nameOf(node).name}` : "Impact");
  const result = useQuery({ ...fetchImpact(node, depth), enabled: node !== "" });
  if (!node)
    return <EmptyState title="Nothing is chosen">Find a dataset, job or column with the box above.</EmptyState>;
  const isColumn = kindOf(node) === "field";
  return (
    <div className="page wide">
      <NodeHead id={node}>
        <p className="muted">What a change here reaches</p>
      </NodeHead>
      <div className="actions">
        {isColumn ? (
          <MainLink to={columnsLink({ node, dir: "down" })}>Its path</MainLink>
        ) : (
          <MainLink to={mapLink({ node, dir: "down", depth: 3 })}>On the map</MainLink>
        )}
        <Choices
          label="kind"
          among={KINDS.filter(([value]) => isColumn || value !== "field")}
          value={narrowing.kind}
          choose={(kind) => narrowing.change({ kind })}
        />
      </div>
      {result.data && <ByOwner impact={result.data} node={node} narrowing={narrowing} />}
      <Loaded of={result}>
        {(impact) => <Table impact={impact} node={node} depth={depth} narrowing={narrowing} />}
      </Loaded>
    </div>
  );
}
