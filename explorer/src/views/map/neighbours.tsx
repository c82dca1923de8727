/** The neighbours of a node, by what they are to it. */

import { count } from "../../model/format";
import { arrowKey, degreeOf, type Item, type Lineage } from "../../model/graph";
import { Button, Chip, Counted } from "../../parts/controls";
import { NodeLink } from "../../parts/frame";
import { mapLink, type Side } from "../../url/state";
import type { OpenMap } from "./open-map";

const TITLES = { job: { up: "Reads", down: "Writes" }, dataset: { up: "Written by", down: "Read by" } };
const OF_DATASETS = { up: "Made of", down: "Made into" },
  OF_JOBS = { up: "Takes data from", down: "Gives data to" },
  WAITS = { up: "Waits for", down: "Waited for by" };

/** What a neighbour is to a node: jobs and datasets may be neighbours of their own kind. */
function titleOfNeighbour(lineage: Lineage, item: Item, id: string, side: Side): string {
  if (lineage.items.get(id)?.kind !== item.kind) return TITLES[item.kind][side];
  if (item.kind === "dataset") return OF_DATASETS[side];
  return (
    lineage.controls.has(arrowKey(side === "up" ? { from: id, to: item.id } : { from: item.id, to: id }))
      ? WAITS
      : OF_JOBS
  )[side];
}

const SHOWN_MAX = 12;

interface Props {
  side: Side;
  item: Item;
  map: OpenMap;
}

export function Neighbours({ side, item, map: { picture, actions } }: Props) {
  const { lineage } = picture;
  return groupsOf(lineage, item, side).map(({ title, ids, count: all }) => {
    const left = all - Math.min(ids.length, SHOWN_MAX);
    return (
      <section key={title}>
        <Counted title={title} of={count(all)} />
        <ul className="plain">
          {ids.slice(0, SHOWN_MAX).map((id) => (
            <li key={id}>
              <NodeLink id={id} name={lineage.items.get(id)?.name ?? id} where={null} href={mapLink({ node: id })} />{" "}
              <Chip press={() => actions.choose(id)}>select</Chip>
            </li>
          ))}
        </ul>
        {left > 0 && <Button press={() => actions.open(item.id, side)}>{count(left)} more: open on the map</Button>}
      </section>
    );
  });
}

interface Group {
  title: string;
  ids: readonly string[];
  /** The number of neighbours; more than `ids` where not all are loaded. */
  count: number;
}

function groupsOf(lineage: Lineage, item: Item, side: Side): Group[] {
  const ids = lineage[side].get(item.id) ?? [];
  const usual = TITLES[item.kind][side];
  const hidden = degreeOf(lineage, item.id)[side] - ids.length;
  const groups = new Map<string, string[]>(hidden > 0 ? [[usual, []]] : []);
  for (const id of ids) {
    const title = titleOfNeighbour(lineage, item, id, side);
    groups.set(title, [...(groups.get(title) ?? []), id]);
  }
  return [...groups].map(([title, group]) => ({
    title,
    ids: group,
    count: group.length + (title === usual ? hidden : 0),
  }));
}
