/** What differs between two runs, in one table: how long they took, what they read and made, with schemas and rows. */

import { useQueries } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { datasetVersion, type Run } from "../../api/queries";
import { fieldChanges } from "../../model/compare";
import { errorOf, rowsOf } from "../../model/facets";
import { count, duration } from "../../model/format";
import { ErrorText, SchemaChanges } from "../../parts/error-text";
import { NodeLink } from "../../parts/frame";
import { StateOf } from "../../parts/signs";
import { type ColumnOf, LongTable, NONE } from "../../parts/table";
import { datasetId } from "../../url/ids";

// Of more datasets the schemas are not compared.
const SCHEMAS_MAX = 24;

type Use = Run["inputDatasetVersions"][number] | Run["outputDatasetVersions"][number];
type Sides<T> = readonly [T | undefined, T | undefined];
interface UsedTwice {
  id: string;
  word: "read" | "made";
  uses: Sides<Use>;
}

/** Return the datasets that either run used in another version, those of both runs side by side. */
function usesOf(mine: Run, other: Run): UsedTwice[] {
  const pair = (word: "read" | "made", key: "inputDatasetVersions" | "outputDatasetVersions") => {
    const sides = [mine, other].map(
      (run) => new Map<string, Use>((run[key] as readonly Use[]).map((use) => [datasetId(use.datasetVersionId), use])),
    );
    const ids = new Set(sides.flatMap((side) => [...side.keys()]));
    return [...ids].map((id): UsedTwice => ({ id, word, uses: [sides[0]!.get(id), sides[1]!.get(id)] }));
  };
  return [...pair("read", "inputDatasetVersions"), ...pair("made", "outputDatasetVersions")].filter(
    ({ uses: [first, second] }) => first?.datasetVersionId.version !== second?.datasetVersionId.version,
  );
}

interface Row {
  of: ReactNode;
  sides: readonly ReactNode[];
}

export function Differences({ mine, other }: { mine: Run; other: Run }) {
  const uses = usesOf(mine, other);
  const schemas = useSchemas(uses);
  const runs = [mine, other];
  const row = (of: string, side: (run: Run) => ReactNode): Row => ({ of, sides: runs.map(side) });
  const version = ({ jobVersion }: Run) => jobVersion?.version.slice(0, 8) ?? "–";
  const rows: Row[] = [
    ...(runs.some(({ facets }) => errorOf(facets)) ? [row("Error", errorIn)] : []),
    row("State", ({ state }) => <StateOf state={state} />),
    row("Took", ({ durationMs }) => duration(durationMs)),
    ...(version(mine) === version(other) ? [] : [row("Job version: code, inputs or outputs", version)]),
    ...uses.map((used) => rowOf(used, schemas.get(used.id))),
  ];
  const columns: ColumnOf<Row>[] = ["What", "This run", other.state === "COMPLETED" ? "The good one" : "The other"].map(
    (name, place) => ({ name, cell: ({ of, sides }) => (place === 0 ? of : sides[place - 1]) }),
  );
  return (
    <section className="card" aria-label="differences">
      <h2>What differs</h2>
      <LongTable label="what differs" columns={columns} rows={rows} height="none" />
    </section>
  );
}

function errorIn({ facets }: Run): ReactNode {
  const error = errorOf(facets);
  return error ? <ErrorText text={error} /> : NONE;
}

function rowOf({ id, word, uses }: UsedTwice, changes: ReturnType<typeof fieldChanges> = []): Row {
  const side = (use: Use | undefined) => {
    if (!use) return <span className="muted">not {word}</span>;
    const rows = rowsOf(use);
    return (
      <>
        <span className="mono muted">#{use.datasetVersionId.version.slice(0, 8)}</span>
        {rows !== null ? ` · ${count(rows)} rows` : word === "made" && <span className="muted"> · rows unknown</span>}
      </>
    );
  };
  const of = (
    <>
      {word} <NodeLink id={id} where={null} />
      {changes.length > 0 && (
        <div>
          <SchemaChanges changes={changes} />
        </div>
      )}
    </>
  );
  return { of, sides: uses.map(side) };
}

/** Changes of schema from the other run's version to this one's, by the dataset's id. */
function useSchemas(uses: readonly UsedTwice[]): Map<string, ReturnType<typeof fieldChanges>> {
  const both = uses.filter(({ uses: [first, second] }) => first && second).slice(0, SCHEMAS_MAX / 2);
  const asked = both.flatMap(({ uses: [first, second] }) => [first!.datasetVersionId, second!.datasetVersionId]);
  const results = useQueries({
    queries: asked.map((id) => ({ ...datasetVersion(id), retry: false, staleTime: Infinity })),
  });
  return new Map(
    both.flatMap(({ id }, place) => {
      const [now, before] = [results[2 * place]?.data, results[2 * place + 1]?.data];
      return now && before && now.fields.length && before.fields.length
        ? [[id, fieldChanges(before.fields, now.fields)] as const]
        : [];
    }),
  );
}
