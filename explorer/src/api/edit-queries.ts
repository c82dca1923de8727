/** Changes of what is annotated: tags, owners and descriptions, each answered with the thing as it is then. */

import type { UseQueryOptions } from "@tanstack/react-query";
import { datasetOf, kindOf, type NodeName, nameOf } from "../url/ids";
import { change, type Feature } from "./client";
import { type Dataset, dataset, type Job, job } from "./queries";

/** A dataset, a job or a column that is annotated. */
export type Target = NodeName;

const PATHS = {
  dataset: "/api/v1/namespaces/{namespace}/datasets/{name}",
  field: "/api/v1/namespaces/{namespace}/datasets/{name}/fields/{field}",
  job: "/api/v1/namespaces/{namespace}/jobs/{name}",
} as const;

/** The operations that a reader needs for a change. */
export const NEEDED: Record<Target["kind"], readonly Feature[]> = {
  dataset: ["tagDataset", "addDatasetOwner", "describeDataset"],
  field: ["tagField", "describeField"],
  job: ["tagJob", "addJobOwner", "describeJob"],
};

/** The query of the dataset or job whose response has the annotations of a node: a column's are its dataset's. */
export const annotated = (id: string) =>
  (kindOf(id) === "job" ? job(id) : dataset(datasetOf(id))) as UseQueryOptions<Dataset | Job>;

export const targetOf = (id: string, { namespace, name }: Dataset | Job): Target => ({
  ...nameOf(id),
  ...{ namespace, name },
});

const send = (
  method: "POST" | "PUT" | "DELETE",
  target: Target,
  end: string,
  parts: Record<string, string>,
  query = {},
  body?: unknown,
) => {
  const { kind, namespace, name, field = "" } = target;
  const call = { method, parts: { namespace, name, field, ...parts }, query, body };
  return change(`${PATHS[kind]}/${end}`, call) as Promise<Dataset | Job>;
};

export const setTag = (target: Target, tag: string) => send("POST", target, "tags/{tag}", { tag });
export const removeTag = (target: Target, tag: string) => send("DELETE", target, "tags/{tag}", { tag });
export const setOwner = (target: Target, owner: string, type: string) =>
  send("POST", target, "owners/{owner}", { owner }, { type });
export const removeOwner = (target: Target, owner: string) => send("DELETE", target, "owners/{owner}", { owner });
export const describe = (target: Target, description: string) =>
  send("PUT", target, "description", {}, {}, { description });
export const withdraw = (target: Target) => send("DELETE", target, "description", {});
