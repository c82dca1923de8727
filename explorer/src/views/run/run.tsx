/** A run with those beside it, or two runs and what differs between them. */

import { useQueries, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { ResponseOf } from "../../api/client";
import { childRuns, datasetVersion, linkedRuns, type Run } from "../../api/queries";
import { fieldChanges } from "../../model/compare";
import { errorOf, rowsOf } from "../../model/facets";
import { count, duration } from "../../model/format";
import { rankOf } from "../../model/graph";
import { Counted, MonoLink } from "../../parts/controls";
import { ErrorText, SchemaChanges } from "../../parts/facts";
import { Asked, EmptyState, NodeLink, useAddress, useTitle } from "../../parts/frame";
import { StateOf } from "../../parts/signs";
import { type ColumnOf, durations, LongTable, NONE, states, times } from "../../parts/table";
import { datasetId, jobId } from "../../url/ids";
import { link, type Side } from "../../url/state";
import { OneRun, useRun } from "./one-run";

export function RunView() {
  const { id, vs } = useAddress("id", "vs");
  useTitle("Run");
  if (!id) return <EmptyState title="No run is chosen" />;
  return (
    <div className="page" style={vs ? { maxWidth: 1500 } : undefined}>
      {vs ? (
        <>
          <div className="actions">
            <h1>Two runs side by side</h1>
            <Link className="button push" href={link("run", { id })}>
              Only the first
            </Link>
          </div>
          <BothRuns id={id} vs={vs} />
          <div className="columns2">
            <OneRun id={id} other={vs} />
            <OneRun id={vs} other={id} />
          </div>
        </>
      ) : (
        <>
          <OneRun id={id} />
          <StartedRuns id={id} />
          <div className="columns2 even">
            <LinkedRuns id={id} side="up" />
            <LinkedRuns id={id} side="down" />
          </div>
        </>
      )}
    </div>
  );
}

/** The differences of two runs, first of all. */
function BothRuns({ id, vs }: { id: string; vs: string }) {
  const [mine, other] = [useRun(id), useRun(vs)];
  return mine.data && other.data ? <Differences mine={mine.data} other={other.data} /> : null;
}

const LINKED = {
  up: { title: "The runs that made what it read", way: "upstream" as const },
  down: { title: "The runs that read what it made", way: "downstream" as const },
};

function LinkedRuns({ id, side }: { id: string; side: Side }) {
  const { title, way } = LINKED[side];
  return (
    <section className="card">
      <h2>{title}</h2>
      <Asked query={linkedRuns(id, way)} rows={3}>
        {({ runs, truncated }) => {
          const others = runs.filter(({ run }) => run.id !== id);
          return (
            <>
              {others.length === 0 && <p className="muted">None is known.</p>}
              {others.length > 0 && <LongTable label={title} height="420px" columns={LINKS} rows={others} />}
              {truncated && <p className="muted">There are more.</p>}
            </>
          );
        }}
      </Asked>
    </section>
  );
}

const LINKS: ColumnOf<ResponseOf<"/api/v1/runlineage/upstream">["runs"][number]>[] = [
  states(({ run }) => run.status),
  { name: "Job", by: ({ job }) => job.name },
  {
    name: "Run",
    cell: ({ run: { id } }) => (
      <MonoLink to={link("run", { id })} title={id}>
        {id.slice(0, 13)}…
      </MonoLink>
    ),
  },
  times("Ended", ({ run }) => run.end ?? run.start),
];

const STARTED_MAX = 200;

function StartedRuns({ id }: { id: string }) {
  const { data } = useQuery(childRuns(id, STARTED_MAX));
  if (!data?.runs.length) return null;
  return (
    <section className="card" aria-label="started runs">
      <Counted title="Started" of={count(data.totalCount)} />
      <LongTable
        label="runs that it started"
        height="420px"
        columns={STARTED}
        rows={[...data.runs].sort((first, second) => rankOf(first.state) - rankOf(second.state))}
        keyOf={(run) => run.id}
      />
      {data.totalCount > data.runs.length && (
        <p className="muted">and {count(data.totalCount - data.runs.length)} more</p>
      )}
    </section>
  );
}

const STARTED: ColumnOf<Run>[] = [
  states((run) => run.state),
  {
    name: "Job",
    by: (run) => run.job.name,
    cell: (run) => (
      <NodeLink id={jobId(run.job)} name={run.job.name} where={run.job.namespace} href={link("run", { id: run.id })} />
    ),
  },
  times("Started", (run) => run.startedAt),
  durations("Took", (run) => run.durationMs),
];

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

function Differences({ mine, other }: { mine: Run; other: Run }) {
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
