/** A field for a row's own id: the runs that made the row and changed it last. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { callOf } from "../../api/calls";
import type { ResponseOf } from "../../api/client";
import { Button, Fact, Filter } from "../../parts/controls";
import { Loaded, NodeLink } from "../../parts/frame";
import { OriginLines } from "../../parts/origin";
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
