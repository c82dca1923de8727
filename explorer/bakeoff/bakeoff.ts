/**
 * Compares layouts on four graphs: crossings, time, how far nodes move after an expansion.
 *
 * `npx vite-node bakeoff/bakeoff.ts [GRAPH [LAYOUT]]`; dagre and elkjs take part where they are installed
 * (`npm install --no-save @dagrejs/dagre elkjs`), or where DAGRE and ELK name their modules. Of 2,000 nodes they take
 * minutes: a layout that takes over half a minute is run once, and not for its movement.
 */

import { anchored, inOrder, RANK_GAP, ROW_GAP, type Placed, type Point, type Task } from "../src/layout/boxes";
import { layered } from "../src/layout/layered";
import { simple } from "../src/layout/simple";

type Layout = (task: Task) => Placed | Promise<Placed>;
type Arrow = Task["arrows"][number];

const SIZE = { width: 244, height: 54 };

function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => (state = (state * 1103515245 + 12345) % 2147483648) % sides;
}

const taskOf = (arrows: readonly Arrow[]): Task => ({
  boxes: [...new Set(arrows.flatMap(({ from, to }) => [from, to]))].map((id) => ({ id, ...SIZE })), arrows: [...arrows], last: {},
});

/** Jobs and datasets of the demo, as a map of depth 20 draws them. */
function demo(): Task {
  const jobs = { checked: [["landing"], ["checked", "rejected"]], factors: [["planes"], ["factors"]], estimated: [["checked", "planes", "factors", "aircraft"], ["estimated"]], totals: [["estimated"], ["totals"]] };
  return taskOf(Object.entries(jobs).flatMap(([job, [inputs = [], outputs = []]]) => [...inputs.map((from) => ({ from, to: `job ${job}` })), ...outputs.map((to) => ({ from: `job ${job}`, to }))]));
}

/** Pipelines in layers: each job reads one to three datasets of the layers before it and writes one. */
function pipelines(nodes: number, perLayer: number, seed: number): Task {
  const roll = dice(seed);
  const arrows: Arrow[] = [];
  const datasets = Array.from({ length: perLayer }, (_, index) => `d${index}`);
  for (let job = 0; 2 * job + perLayer < nodes; job++) {
    // Most inputs are recent: a pipeline grows at its end.
    for (let input = 0; input <= roll(3); input++) arrows.push({ from: datasets[Math.max(0, datasets.length - 1 - roll(2 * perLayer))]!, to: `j${job}` });
    arrows.push({ from: `j${job}`, to: `d${perLayer + job}` });
    datasets.push(`d${perLayer + job}`);
  }
  return taskOf([...new Map(arrows.map((arrow) => [`${arrow.from} ${arrow.to}`, arrow])).values()]);
}

function withHub(nodes: number, readers: number, seed: number): Task {
  const { arrows } = pipelines(nodes - 2 * readers, 10, seed);
  return taskOf([...arrows, ...Array.from({ length: readers }, (_, index) => [{ from: "d3", to: `reader${index}` }, { from: `reader${index}`, to: `copy${index}` }]).flat()]);
}

const FIXTURES: Record<string, { task: Task; expand: string }> = {
  demo: { task: demo(), expand: "estimated" },
  "60 nodes": { task: pipelines(60, 6, 7), expand: "d14" },
  "300 with a hub": { task: withHub(300, 100, 7), expand: "d20" },
  "2,000 nodes": { task: pipelines(2000, 60, 7), expand: "d400" },
};

interface Dagre {
  Graph: new (options: object) => { setGraph(options: object): void; setDefaultEdgeLabel(label: () => object): void; setNode(id: string, box: object): void; setEdge(from: string, to: string): void; node(id: string): Point; edge(from: string, to: string): { points?: Point[] } };
  layout(graph: object): void;
}

async function dagre(ranker: string): Promise<Layout | null> {
  const name = "@dagrejs/dagre";
  const found = await import(/* @vite-ignore */ process.env["DAGRE"] ?? name).catch(() => null) as (Dagre & { default?: Dagre }) | null;
  if (!found) return null;
  const { Graph, layout } = found.Graph ? found : found.default!;
  return (task) => {
    const graph = new Graph({ multigraph: false, compound: false });
    graph.setGraph({ rankdir: "LR", ranksep: RANK_GAP, nodesep: ROW_GAP, edgesep: 14, ranker });
    graph.setDefaultEdgeLabel(() => ({}));
    for (const box of inOrder(task)) graph.setNode(box.id, { width: box.width, height: box.height });
    for (const { from, to } of task.arrows) graph.setEdge(from, to);
    layout(graph);
    const at = Object.fromEntries(task.boxes.map(({ id, width, height }) => [id, { x: graph.node(id).x - width / 2, y: graph.node(id).y - height / 2 }]));
    const bends = Object.fromEntries(task.arrows.map(({ from, to }) => [`${from}→${to}`, (graph.edge(from, to).points ?? []).slice(1, -1)]));
    return { at, bends, simple: false };
  };
}

interface ElkNode { id: string; x?: number; y?: number; width?: number; height?: number }
interface ElkEdge { id: string; sources: string[]; targets: string[]; sections?: { bendPoints?: Point[] }[] }
interface Elk { layout(graph: object): Promise<{ children: ElkNode[]; edges: ElkEdge[] }> }

async function elk(): Promise<Layout | null> {
  const name = "elkjs/lib/elk.bundled.js";
  const found = await import(/* @vite-ignore */ process.env["ELK"] ?? name).catch(() => null) as { default: new () => Elk } | null;
  if (!found) return null;
  const engine = new found.default();
  return async (task) => {
    const options = { "elk.algorithm": "layered", "elk.direction": "RIGHT", "elk.layered.spacing.nodeNodeBetweenLayers": String(RANK_GAP), "elk.spacing.nodeNode": String(ROW_GAP), "elk.edgeRouting": "POLYLINE" };
    const done = await engine.layout({ id: "root", layoutOptions: options, children: inOrder(task).map((box) => ({ ...box })), edges: task.arrows.map(({ from, to }) => ({ id: `${from}→${to}`, sources: [from], targets: [to] })) });
    return {
      at: Object.fromEntries(done.children.map(({ id, x = 0, y = 0 }) => [id, { x, y }])),
      bends: Object.fromEntries(done.edges.map(({ id, sections }) => [id, sections?.[0]?.bendPoints ?? []])), simple: false,
    };
  };
}

function linesOf(task: Task, { at, bends }: Placed): Point[][] {
  return task.arrows.map(({ from, to }) => {
    const a = at[from]!, b = at[to]!;
    return [{ x: a.x + SIZE.width, y: a.y + SIZE.height / 2 }, ...(bends[`${from}→${to}`] ?? []), { x: b.x, y: b.y + SIZE.height / 2 }];
  });
}

/** Crossings of the lines' segments; lines that begin or end at one box do not cross there. */
function crossings(task: Task, placed: Placed): number {
  const segments = linesOf(task, placed).flatMap((line, index) => line.slice(1).map((end, at) => ({ a: line[at]!, b: end, line: index })));
  segments.sort((p, q) => Math.min(p.a.x, p.b.x) - Math.min(q.a.x, q.b.x));
  const side = (p: Point, q: Point, r: Point) => Math.sign((q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x));
  let count = 0;
  for (let i = 0; i < segments.length; i++) {
    const one = segments[i]!, right = Math.max(one.a.x, one.b.x);
    for (let j = i + 1; j < segments.length; j++) {
      const two = segments[j]!;
      if (Math.min(two.a.x, two.b.x) >= right) break;
      if (one.line !== two.line && side(one.a, one.b, two.a) * side(one.a, one.b, two.b) < 0 && side(two.a, two.b, one.a) * side(two.a, two.b, one.b) < 0) count++;
    }
  }
  return count;
}

/** How far the boxes of a part move when what lies downstream of one of them is added: median and most, in pixels. */
async function movement(task: Task, expand: string, place: Layout): Promise<[number, number]> {
  const next = new Map<string, string[]>();
  for (const { from, to } of task.arrows) next.set(from, [...(next.get(from) ?? []), to]);
  const added = new Set((next.get(expand) ?? []).flatMap((job) => [job, ...(next.get(job) ?? [])]));
  const kept = task.arrows.filter(({ from, to }) => !added.has(from) && !added.has(to));
  const before = await place(taskOf([...kept, ...task.arrows.filter(({ to }) => to === expand)].filter((arrow, index, all) => all.indexOf(arrow) === index)));
  const last = Object.fromEntries(Object.entries(before.at).map(([id, { y }]) => [id, y]));
  const after = anchored(await place({ ...task, last }), expand, before.at[expand]);
  const moved = Object.entries(before.at).filter(([id]) => id !== expand && after.at[id]).map(([id, { x, y }]) => Math.hypot(after.at[id]!.x - x, after.at[id]!.y - y)).sort((a, b) => a - b);
  return [moved[Math.floor(moved.length / 2)] ?? 0, moved.at(-1) ?? 0];
}

// A layout that takes longer is measured once.
const LONG_MS = 30_000;

async function timed(task: Task, place: Layout): Promise<{ placed: Placed; took: number }> {
  const started = process.cpuUsage();
  const placed = await place(task);
  return { placed, took: process.cpuUsage(started).user / 1000 };
}

/** A layout, and the least processor time of up to five runs, in ms: other processes add to it at most. */
async function leastTime(task: Task, place: Layout): Promise<{ placed: Placed; least: number }> {
  const { placed, took } = await timed(task, place);
  let least = took;
  for (let run = 1, spent = took; run < 5 && spent < 5000; run++) {
    const { took: again } = await timed(task, place);
    spent += again;
    least = Math.min(least, again);
  }
  return { placed, least };
}

const shown = (ms: number) => (ms < 10 ? `${ms.toFixed(1)} ms` : ms < LONG_MS ? `${Math.round(ms).toLocaleString("en-US")} ms` : `${(ms / 60_000).toFixed(1)} min`);

async function row(graph: string, name: string, place: Layout): Promise<string> {
  const { task, expand } = FIXTURES[graph]!;
  const { placed, least } = await leastTime(task, place);
  const moves = least > LONG_MS ? ["–", "–"] : (await movement(task, expand, place)).map((px) => `${Math.round(px).toLocaleString("en-US")} px`);
  return `| ${graph} (${task.boxes.length}, ${task.arrows.length} lines) | ${name} | ${crossings(task, placed).toLocaleString("en-US")} | ${shown(least)} | ${moves.join(" | ")} |`;
}

async function measure([graph, layout]: readonly string[]): Promise<void> {
  const engines: [string, Layout | null][] = [
    ["ours, layered", layered], ["ours, simple", simple], ["dagre, network simplex", await dagre("network-simplex")], ["dagre, tight tree", await dagre("tight-tree")], ["elkjs, layered", await elk()],
  ];
  console.log("| graph | layout | crossings | time | others move: median | most |\n|---|---|--:|--:|--:|--:|");
  for (const name of Object.keys(FIXTURES)) {
    if (graph && !name.startsWith(graph)) continue;
    for (const [engine, place] of engines) if (place && (!layout || engine.startsWith(layout))) console.log(await row(name, engine, place));
  }
}

await measure(process.argv.slice(2));
