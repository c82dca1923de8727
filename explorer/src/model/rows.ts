/** How many rows runs read and wrote, as OpenLineage's statistics count them. */

interface Use {
  datasetVersionId: { namespace: string; name: string };
  facets: Record<string, unknown>;
}

/** Return the rows of a use of a dataset; null where the run did not count them. */
export function rowsOf(use: { facets: unknown }): number | null {
  const facets = (use.facets ?? {}) as Record<string, { rowCount?: unknown } | null>;
  for (const name of ["outputStatistics", "inputStatistics"]) {
    const rows = facets[name]?.rowCount;
    if (typeof rows === "number") return rows;
  }
  return null;
}

const isOf =
  (dataset: { namespace: string; name: string }) =>
  ({ datasetVersionId: id }: Use) =>
    id.namespace === dataset.namespace && id.name === dataset.name;

/** Return the runs that wrote a dataset. */
export const runsThatWrote = <R extends { outputDatasetVersions: readonly Use[] }>(
  runs: readonly R[],
  dataset: { namespace: string; name: string },
): R[] => runs.filter(({ outputDatasetVersions }) => outputDatasetVersions.some(isOf(dataset)));

/** Return the rows that each run wrote into a dataset, in the order of the runs, without runs that counted none. */
export const rowsWritten = (
  runs: readonly { outputDatasetVersions: readonly Use[] }[],
  dataset: { namespace: string; name: string },
): number[] =>
  runs.flatMap(({ outputDatasetVersions }) => {
    const use = outputDatasetVersions.find(isOf(dataset));
    return (use && rowsOf(use)) ?? [];
  });
