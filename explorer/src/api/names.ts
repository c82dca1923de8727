/** Names of nodes whose ids can be cut in several ways: the graph has both parts, so that no route is tried in vain. */

import { datasetOf, isAmbiguous, learnName } from "../url/ids";
import { get } from "./client";

const asked = new Map<string, Promise<void>>();

/** Learn how an id is cut, where that is not clear; what the graph does not know is left to its own request. */
export async function learnCut(id: string): Promise<void> {
  if (!isAmbiguous(id)) return;
  const node = datasetOf(id);
  const request = asked.get(node) ?? ask(node).catch(() => void asked.delete(node));
  asked.set(node, request);
  await request;
}

async function ask(nodeId: string): Promise<void> {
  const query = { nodeId, depth: 0, direction: "up" as const, fold: 1, form: "summary" as const };
  const { graph } = await get("/api/v1/lineage", { query });
  for (const { id, data } of graph) if (id === nodeId && data) learnName(id, data);
}
