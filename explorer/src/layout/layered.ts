/** The layered layout, from left to right: dagre's. */

import { Graph, layout } from "@dagrejs/dagre";

import { inOrder, RANK_GAP, ROW_GAP, type Placed, type Task } from "./boxes";

export function layered(task: Task): Placed {
  const graph = new Graph({ multigraph: false, compound: false });
  graph.setGraph({ rankdir: "LR", ranksep: RANK_GAP, nodesep: ROW_GAP, edgesep: 14, ranker: "network-simplex" });
  graph.setDefaultEdgeLabel(() => ({}));
  const boxes = inOrder(task);
  const place = new Map(boxes.map((box, index) => [box.id, index]));
  for (const box of boxes) graph.setNode(box.id, { width: box.width, height: box.height });
  const arrows = task.arrows
    .filter(({ from, to }) => from !== to && place.has(from) && place.has(to))
    .sort((a, b) => place.get(a.from)! - place.get(b.from)! || place.get(a.to)! - place.get(b.to)!);
  for (const { from, to } of arrows) graph.setEdge(from, to);
  layout(graph);
  const at: Placed["at"] = {}, bends: Placed["bends"] = {};
  for (const { id, width, height } of boxes) {
    const node = graph.node(id) as { x: number; y: number };
    at[id] = { x: node.x - width / 2, y: node.y - height / 2 };
  }
  for (const { from, to } of arrows) {
    const points = (graph.edge(from, to) as { points?: { x: number; y: number }[] }).points ?? [];
    bends[`${from}→${to}`] = passes(points.slice(1, -1));
  }
  return { at, bends, simple: false };
}

/** Between two ranks dagre has a point of its own, too: those in the ranks are every second. */
function passes(points: { x: number; y: number }[]): { x: number; y: number }[] {
  return points.length < 3 ? [] : points.filter((_, index) => index % 2 === 1).map(({ x, y }) => ({ x, y }));
}
