/** A field for a row's own id, with the runs behind the row; the SQL of the rows that a run changed. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { callOf, type ResponseOf } from "../../api/client";
import { datasetVersion, type Run } from "../../api/queries";
import { Button, Fact, Filter } from "../../parts/controls";
import { Copyable } from "../../parts/export";
import { OriginLines } from "../../parts/facts";
import { Asked, Loaded, NodeLink, Opened } from "../../parts/frame";
import { datasetId } from "../../url/ids";

const PATH = "/api/v1/namespaces/{namespace}/datasets/{dataset}/rows/{row_id}";
type Step = ResponseOf<typeof PATH>["made"];
const KNOWN = { exact: "", atOrBefore: "at or before ", unknown: "unknown" } as const;

export function RowCard({ node }: { node: string }) {
  const [typed, setTyped] = useState({ id: "", sequence: "" });
  const [sent, setSent] = useState(typed);
  const { id, sequence } = sent;
  const result = useQuery({ ...callOf<typeof PATH>(PATH, node, { sequence }, { row_id: id }), enabled: id !== "" });
  return (
    <section className="card">
      <h2>Row</h2>
      <form
        className="actions"
        aria-label="row"
        onSubmit={(event) => {
          event.preventDefault();
          setSent({ id: typed.id.trim(), sequence: typed.sequence.trim() });
        }}
      >
        <Filter label="id of a row" value={typed.id} set={(text) => setTyped({ ...typed, id: text })} hint="_row_id" />
        <Filter
          label="sequence number of the row"
          value={typed.sequence}
          set={(text) => setTyped({ ...typed, sequence: text })}
          hint="_last_updated_sequence_number"
          size={30}
        />
        <Button>Which run?</Button>
      </form>
      {id && (
        <Loaded of={result} rows={2}>
          {(row) => (
            <dl className="facts">
              <Fact of="Made" is={<StepLines step={row.made} />} />
              <Fact of="Changed last" is={row.changed && <StepLines step={row.changed} />} />
            </dl>
          )}
        </Loaded>
      )}
    </section>
  );
}

function StepLines({ step: { known, reason, commit } }: { step: Step }) {
  return (
    <>
      {KNOWN[known]}
      {commit && <OriginLines version={commit} />}
      {reason && <span className="muted"> ({reason})</span>}
      {commit?.inputs.map((read) => (
        <div key={datasetId(read)}>
          of <NodeLink id={datasetId(read)} name={read.name} where={read.namespace} />{" "}
          <span className="mono muted">#{read.version.slice(0, 8)}</span>
        </div>
      ))}
    </>
  );
}

export function ChangedRows({ use }: { use: Run["outputDatasetVersions"][number] }) {
  const sequence = sequenceOf(use.facets);
  const named = use.datasetVersionId;
  if (sequence === null) return null;
  return (
    <Opened title="SQL of the changed rows">
      {() => (
        <Asked query={datasetVersion(named)} rows={1}>
          {({ facets }) => {
            const sql = sqlOf(named.namespace, named.name, sequence, facets);
            return sql ? (
              <Copyable name="the SQL of the changed rows" text={sql} />
            ) : (
              <p className="muted">the version of the storage is unknown</p>
            );
          }}
        </Asked>
      )}
    </Opened>
  );
}

type Facets = Readonly<Record<string, unknown>>;

const memberAt = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Facets)[name] : undefined;

/** The sequence number of a commit, in the facet of an output; null without it. */
export function sequenceOf(facets: Facets): number | null {
  const sequence = memberAt(facets["headwater_rows"], "sequence");
  return typeof sequence === "number" ? sequence : null;
}

/** The name of a table in its catalog, or of Delta's folder: `table/sales/orders` of Glue is `sales.orders`. */
function tableOf(namespace: string, name: string, facets: Facets, isDelta: boolean): string {
  const links = memberAt(facets["symlinks"], "identifiers");
  const table = (Array.isArray(links) ? links : []).find((link) => memberAt(link, "type") === "TABLE");
  const named = memberAt(table, "name");
  if (typeof named === "string") return named.replace(/^table\//, "").replaceAll("/", ".");
  return isDelta ? `delta.\`${namespace.replace(/^file$/, "")}/${name.replace(/^\//, "")}\`` : name;
}

/** Return the statement, by the facets of the output's version; null where the version of the storage is unknown. */
export function sqlOf(namespace: string, name: string, sequence: number, facets: Facets): string | null {
  const version = memberAt(facets["version"], "datasetVersion");
  if (typeof version !== "string" || !/^\d+$/.test(version)) return null;
  // A version of Delta's is the sequence number; an Iceberg snapshot has an id of its own.
  const isDelta = version === String(sequence);
  const [id, changed] = isDelta
    ? ["_metadata.row_id", "_metadata.row_commit_version"]
    : ["_row_id", "_last_updated_sequence_number"];
  const table = tableOf(namespace, name, facets, isDelta);
  return `SELECT *, ${id}\nFROM ${table} VERSION AS OF ${version}\nWHERE ${changed} = ${sequence}`;
}
