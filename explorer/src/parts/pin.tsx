/** The button that pins a node to the start, and what keeps the nodes that were looked at. */

import "./pin.css";

import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useLocation, useSearch } from "wouter";
import { isPinned, keptOf } from "../model/mine";
import { mine, useMine } from "./mine";
import { SignOf } from "./signs";

const VIEWS = ["/map", "/columns", "/dataset", "/job", "/impact", "/usage"];
// Who leaves a page at once did not look at it.
const LOOK_MS = 2_000;

export function Pin({ id, names }: { id: string; names?: { namespace: string; name: string } | undefined }) {
  const kept = keptOf(id, names);
  const pinned = isPinned(useMine(), kept.id);
  return (
    <button
      className="icon of-pin"
      aria-pressed={pinned}
      title={pinned ? "Take it from the start page" : "Keep it on the start page, in this browser"}
      onClick={() => mine.togglePin(kept)}
    >
      <SignOf of={pinned ? "pinned" : "pin"} />
      {pinned ? "Pinned" : "Pin"}
    </button>
  );
}

/** Keep the node of the view among those seen last, once the API has responded about it. */
export function useRecentVisit(): void {
  const [path] = useLocation();
  const query = useSearch();
  const client = useQueryClient();
  const node = VIEWS.includes(path) ? (new URLSearchParams(query).get("node") ?? "") : "";
  useEffect(() => {
    if (!node) return;
    const timer = setInterval(() => {
      if (!isAnswered(client, node)) return;
      clearInterval(timer);
      mine.look(keptOf(node));
    }, LOOK_MS);
    return () => clearInterval(timer);
  }, [node, client]);
}

/** True if a query about the node has a result: what does not exist is not kept. */
const isAnswered = (client: QueryClient, node: string) =>
  client
    .getQueryCache()
    .findAll({ predicate: ({ state }) => state.status === "success" })
    .some(({ queryKey }) => JSON.stringify(queryKey).includes(JSON.stringify(node)));
