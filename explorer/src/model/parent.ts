/** The run and the job that started a run. */

export interface Parent {
  run: string;
  job: { namespace: string; name: string };
}

const textOf = (of: unknown, name: string) => {
  const value = typeof of === "object" && of !== null ? (of as Record<string, unknown>)[name] : undefined;
  return typeof value === "string" ? value : null;
};

/** Return what OpenLineage's facet `parent` names; null where it names no run and no job. */
export function parentOf(facets: Record<string, unknown>): Parent | null {
  const parent = facets["parent"] as Record<string, unknown> | undefined;
  const run = textOf(parent?.["run"], "runId"),
    namespace = textOf(parent?.["job"], "namespace"),
    name = textOf(parent?.["job"], "name");
  return run !== null && namespace !== null && name !== null ? { run, job: { namespace, name } } : null;
}
