/** The estate: all jobs with their datasets, as a graph. */

import { queryOptions } from "@tanstack/react-query";

import { get } from "../../api/client";
import { type Arrow, blankItem, type Item, type Lineage, toLineage } from "../../model/graph";
import { datasetId, jobId, learnName } from "../../url/ids";

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
