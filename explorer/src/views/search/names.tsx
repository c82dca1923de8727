/** Jobs, datasets and columns that were found: by a part of their name, by a tag, or all of a namespace. */

import { Link } from "wouter";

import { browse } from "../../api/list-queries";
import type { Hit } from "../../api/queries";
import { count, plural } from "../../model/format";
import { type TestState, termsOf } from "../../model/terms";
import { Asked, EmptyState, Loaded, mapOf } from "../../parts/frame";
import { HitState, KIND_OF_HIT, Marked, useHits } from "../../parts/hits";
import { useReader } from "../../parts/me";
import { Name } from "../../parts/name";
import { KindOf } from "../../parts/signs";
import { type ColumnOf, LongTable, times } from "../../parts/table";
import { link } from "../../url/state";

const WORDS = { JOB: "job", DATASET: "dataset", DATASET_FIELD: "column" } as const;
const LIMIT = 200;

/** Columns of the table, without those that say nothing of these hits. */
function columnsOf(hits: readonly Hit[], q = ""): ColumnOf<Hit>[] {
  const title = titleOfState(hits);
  return [
    {
      name: "Name",
      by: (hit) => hit.field ?? hit.name,
      cell: (hit) => (
        <span className="named">
          <KindOf of={KIND_OF_HIT[hit.type]} namespace={hit.namespace} />
          <span>
            <Link href={mapOf(hit.nodeId)}>
              <Marked text={hit.field ?? hit.name} q={termsOf(q).words} />
            </Link>
            {hit.field !== undefined && (
              <span className="where">
                {" "}
                of <Name text={hit.name} /> · <Link href={link("impact", { node: hit.nodeId })}>what breaks</Link>
              </span>
            )}
          </span>
        </span>
      ),
    },
    ...(title ? [{ name: title, cell: (hit: Hit) => <HitState hit={hit} /> }] : []),
    { name: "Kind", by: (hit) => hit.type, cell: (hit) => WORDS[hit.type] },
    { name: "Namespace", look: "mono", by: (hit) => hit.namespace },
    times("Changed", (hit) => hit.updatedAt),
  ];
}

/** Return what the states of hits are: of jobs how they ended, of columns their types; empty if none has one. */
function titleOfState(hits: readonly Hit[]): string {
  const isOfColumns = hits.some((hit) => "fieldType" in hit && hit.fieldType);
  const isOfOthers = hits.some((hit) => "latestRun" in hit || "fieldCount" in hit);
  return [isOfOthers && "State", isOfColumns && "Type"].filter(Boolean).join(", ");
}

/** Return "3 jobs and datasets, 1 column", without a kind that there is none of. */
const countsOf = (names: number, fields: number) =>
  [(names > 0 || fields === 0) && `${count(names)} jobs and datasets`, fields > 0 && plural(fields, "column")]
    .filter(Boolean)
    .join(", ");

export function Names({ q, tag = "", state = "" }: { q: string; tag?: string; state?: TestState }) {
  const result = useHits(q, LIMIT, { tag, state });
  const { can } = useReader();
  return (
    <Loaded of={result}>
      {({ names, fields, all }) =>
        all.length === 0 ? (
          <EmptyState
            title={tag ? "Nothing has this tag" : state ? "No test of these does so" : "Nothing has this name"}
          >
            {!tag && !state && can("searchRecords") && (
              <Link href={link("search", { q, kind: "record" })}>Look among records</Link>
            )}
          </EmptyState>
        ) : (
          <section className="card">
            <p className="muted" role="status">
              {countsOf(names.total, state ? 0 : fields.total)}
              {(names.truncated || fields.truncated) && ", at least"}
              {all.length < names.total + fields.total && `; the first ${count(all.length)} are here`}
            </p>
            <LongTable label="found" columns={columnsOf(all, q)} rows={all} keyOf={(hit) => hit.nodeId} />
          </section>
        )
      }
    </Loaded>
  );
}

export const Browse = ({ namespace }: { namespace: string }) => (
  <Asked query={browse(namespace, LIMIT)}>
    {({ hits, total }) => (
      <section className="card">
        <p className="muted">
          {count(total)} jobs and datasets{hits.length < total && `; the first ${count(hits.length)} are here`}
        </p>
        <LongTable
          label="in the namespace"
          columns={columnsOf(hits).filter(({ name }) => name !== "Namespace")}
          rows={hits}
          keyOf={(hit) => hit.nodeId}
        />
      </section>
    )}
  </Asked>
);
