/** What differs between two runs, in one table: how long they took, what they read and made, with schemas and rows. */

import { useQueries } from "@tanstack/react-query";

import { datasetVersion, errorOf, type Run } from "../../api/queries";
import { fieldChanges } from "../../model/compare";
import { rowsOf } from "../../model/facets";
import { count, duration } from "../../model/format";
import { ErrorText, SchemaChanges } from "../../parts/error-text";
import { NodeLink } from "../../parts/frame";
import { StateOf } from "../../parts/signs";
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

export function Differences({ mine, other }: { mine: Run; other: Run }) {
  const uses = usesOf(mine, other);
  const errors = [mine, other].map(({ facets }) => errorOf(facets));
  const schemas = useSchemas(uses);
  return (
    <section className="card" aria-label="differences">
      <h2>What differs</h2>
      <table className="table">
        <thead>
          <Row of="What" sides={["This run", other.state === "COMPLETED" ? "The good one" : "The other"]} />
        </thead>
        <tbody>
          {errors.some(Boolean) && (
            <Row of="Error" sides={errors.map((text) => (text ? <ErrorText key={text} text={text} /> : "–"))} />
          )}
          <Row of="State" sides={[<StateOf key="a" state={mine.state} />, <StateOf key="b" state={other.state} />]} />
          <Row of="Took" sides={[duration(mine.durationMs), duration(other.durationMs)]} />
          {mine.jobVersion?.version !== other.jobVersion?.version && (
            <Row
              of="Job version: code, inputs or outputs"
              sides={[mine.jobVersion?.version.slice(0, 8) ?? "–", other.jobVersion?.version.slice(0, 8) ?? "–"]}
            />
          )}
          {uses.map((used) => (
            <UseRow key={`${used.word} ${used.id}`} used={used} changes={schemas.get(used.id)} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Row({ of, sides }: { of: React.ReactNode; sides: readonly React.ReactNode[] }) {
  return (
    <tr>
      <td>{of}</td>
      {sides.map((side, place) => (
        <td key={place}>{side}</td>
      ))}
    </tr>
  );
}

function UseRow({ used, changes }: { used: UsedTwice; changes: ReturnType<typeof fieldChanges> | undefined }) {
  const { id, word, uses } = used;
  const cell = (use: Use | undefined) => {
    if (!use) return <span className="muted">not {word}</span>;
    const rows = rowsOf(use);
    return (
      <>
        <span className="mono muted">#{use.datasetVersionId.version.slice(0, 8)}</span>
        {rows !== null ? ` · ${count(rows)} rows` : word === "made" && <span className="muted"> · rows unknown</span>}
      </>
    );
  };
  return (
    <Row
      of={
        <>
          {word} <NodeLink id={id} where={null} />
          {changes && changes.length > 0 && (
            <div>
              <SchemaChanges changes={changes} />
            </div>
          )}
        </>
      }
      sides={uses.map(cell)}
    />
  );
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
