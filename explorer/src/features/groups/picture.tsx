/** The estate: all jobs with their datasets as a graph; on the start its folders as groups, each a link to the map. */

import "./picture.css";

import { queryOptions, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Link } from "wouter";
import { get } from "../../api/client";
import { GROUP, GroupBox } from "../../draw/group-box";
import { type Line, lineIn, type Placed } from "../../layout/boxes";
import { layered } from "../../layout/layered";
import { count } from "../../model/format";
import { type Arrow, blankItem, type Item, type Lineage, toLineage } from "../../model/graph";
import { groupsOf } from "../../model/groups";
import { datasetId, jobId, learnName } from "../../url/ids";
import { mapLink } from "../../url/state";

const MARGIN = 8;

export function EstatePicture() {
  const { data } = useQuery(ESTATE);
  return data && data.items.size > 0 ? <Groups estate={data} /> : null;
}

function Groups({ estate }: { estate: Lineage }) {
  const { groups, lines, at, ...area } = useMemo(() => drawingOf(estate), [estate]);
  return (
    <section className="card estate" aria-label="all jobs and their datasets">
      <div className="actions">
        <h2>All jobs and their datasets</h2>
        {estate.truncated && <span className="muted small">the first jobs by name: there are more</span>}
        <Link className="push" href={mapLink({ node: "", by: "folder" })}>
          Open the map
        </Link>
      </div>
      <div className="pane">
        <svg viewBox={`${area.left} ${area.top} ${area.width} ${area.height}`} width={area.width} height={area.height}>
          {lines.map(({ path, tips, middle, jobs }) => (
            <g key={path}>
              <path className="line" d={path} />
              <path className="tip" d={tips} />
              <text {...middle}>{count(jobs)}</text>
            </g>
          ))}
          {groups.map((group) => (
            <foreignObject
              key={group.id}
              {...at[group.id]!}
              width={GROUP.width + MARGIN}
              height={GROUP.height + MARGIN}
            >
              <Link href={mapLink({ node: "", by: "folder", into: [group.id] })} style={GROUP}>
                <GroupBox group={group} />
              </Link>
            </foreignObject>
          ))}
        </svg>
      </div>
    </section>
  );
}

function drawingOf(estate: Lineage) {
  const { groups, arrows } = groupsOf(estate, estate.items.keys(), "folder", []);
  const boxes = [...groups.keys()].map((id) => ({ id, ...GROUP }));
  const placed = layered({ boxes, arrows: [...arrows], last: {} });
  const sizes = new Map(boxes.map((box) => [box.id, box]));
  const lines = arrows.map(({ from, to, jobs }) => ({ jobs, ...lineIn(placed, sizes, { from, to }) }));
  return { groups: [...groups.values()], lines, at: placed.at, ...areaOf(placed, lines) };
}

/** The area of boxes and lines: an arrow back, or one past other ranks, may run below all boxes. */
function areaOf({ at, bends }: Placed, lines: readonly Line[]) {
  const [xs, ys] = [Object.values(at).map(({ x }) => x), Object.values(at).map(({ y }) => y)];
  const passes = [...lines.map(({ middle }) => middle), ...Object.values(bends).flat()].map(({ y }) => y);
  const [left, top] = [Math.min(...xs) - MARGIN, Math.min(...ys, ...passes) - MARGIN];
  const bottom = Math.max(...ys.map((y) => y + GROUP.height), ...passes);
  return { left, top, width: Math.max(...xs) + GROUP.width + MARGIN - left, height: bottom + MARGIN - top };
}

async function estate(signal: AbortSignal): Promise<Lineage> {
  const { jobs, datasets, truncated } = await get("/api/v1/reports/estate", { signal });
  const ids = datasets.map(datasetId);
  const items: Item[] = datasets.map((name, place) => {
    learnName(ids[place]!, name);
    return { ...blankItem(ids[place]!, "dataset"), ...name, known: true };
  });
  const arrows: Arrow[] = [];
  for (const { namespace, name, state, endedAt, owners, parent, inputs, outputs } of jobs) {
    const id = jobId({ namespace, name });
    learnName(id, { namespace, name });
    const known = { ...blankItem(id, "job"), known: true, namespace, name };
    items.push({ ...known, state, endedAt, touchedAt: endedAt, owners, parent: parent?.name ?? null });
    arrows.push(...inputs.map((place) => ({ from: ids[place]!, to: id })));
    arrows.push(...outputs.map((place) => ({ from: id, to: ids[place]! })));
    for (const of of outputs.map((place) => items[place]!))
      if (state === "COMPLETED" && (endedAt ?? "") > (of.writtenAt ?? "")) of.writtenAt = endedAt;
  }
  return toLineage(items, arrows, truncated);
}

export const ESTATE = queryOptions({ queryKey: ["estate"], queryFn: ({ signal }) => estate(signal) });
