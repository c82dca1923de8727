/** The proof of a record: the page reads and hashes the archive's bytes, and believes nothing else. */

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { getBytes } from "../../api/client";
import { proofQuery, type RecordProof } from "../../api/record-queries";
import { count, plural } from "../../model/format";
import { type Check, type Claims, type Proven, proofFile, proofFileName, prove } from "../../model/proof";
import { Button, Fact } from "../../parts/controls";
import { Asked, download, ErrorState } from "../../parts/frame";
import { SignOf } from "../../parts/signs";
import { type ColumnOf, LongTable } from "../../parts/table";
import { Path } from "./tree";

// What is loaded without being asked for.
const SOON_BYTES = 4_000_000,
  SOON_DIGESTS = 40;

const WAITING = {
  live: "It is in the table alone. The next compaction, every night, writes it to the archive; from then on it can be proved.",
  expired: "It has left the table, and the next compaction archives it. From then on it can be proved.",
} as const;

export const Proof = ({ root, node, withPath }: { root: string; node: string; withPath: boolean }) => (
  <section className="card proof" aria-label="proof">
    <h2>Proof</h2>
    <Asked query={proofQuery(root, node)} rows={4}>
      {(proof) =>
        proof.state === "live" || proof.state === "expired" ? (
          <Verdict look="stale" title="Not sealed yet">
            {WAITING[proof.state]}
          </Verdict>
        ) : (
          <Archived proof={proof} withPath={withPath} />
        )
      }
    </Asked>
  </section>
);

function Archived({ proof, withPath }: { proof: RecordProof; withPath: boolean }) {
  const { object, digests } = proof;
  const [isAsked, ask] = useState((object?.size_bytes ?? 0) <= SOON_BYTES && digests.length <= SOON_DIGESTS);
  if (!object) return <p className="removed">✕ {proof.fault ?? "The archive has no object of it."}</p>;
  if (!crypto.subtle)
    return (
      <p className="removed">
        ✕ This browser computes hashes on pages over https alone. <code>headwater verify</code> proves the archive.
      </p>
    );
  if (!isAsked)
    return (
      <div className="actions">
        <Button main press={() => ask(true)}>
          Compute it from {count(Math.ceil(object.size_bytes / 1e6))} MB and {plural(digests.length, "digest")}
        </Button>
      </div>
    );
  return <Computed proof={proof} claims={{ ...proof, object }} withPath={withPath} />;
}

function Computed({ proof, claims, withPath }: { proof: RecordProof; claims: Claims; withPath: boolean }) {
  const [done, setDone] = useState(0);
  const result = useQuery({
    queryKey: ["proven", claims.root_id, claims.node_id, claims.object.location],
    queryFn: ({ signal }) => prove(claims, (location) => getBytes(location, signal), setDone),
    staleTime: Infinity,
  });
  if (result.error) return <ErrorState error={result.error} retry={() => void result.refetch()} />;
  if (!result.data)
    return (
      <p role="status" aria-busy="true">
        Computing: {count(done)} of {plural(claims.digests.length, "digest")}
      </p>
    );
  return (
    <>
      <VerdictOf proof={proof} proven={result.data} />
      <ol className="checks">
        {result.data.checks.map((check) => (
          <li key={check.title}>
            <CheckRow check={check} />
          </li>
        ))}
      </ol>
      {proof.fault && <p className="removed">✕ The service noticed, too: {proof.fault}</p>}
      {proof.next && (
        <p className="changed">
          ~ The chain is longer than this page reads; <code>headwater verify</code> reads all of it.
        </p>
      )}
      <SaveProof claims={claims} proven={result.data} state={proof.state} />
      <Archive claims={claims} proof={proof} proven={result.data} />
      {withPath && result.data.path.length > 0 && (
        <>
          <h2>Its path, as the object has it</h2>
          <Path steps={result.data.path} here={claims.node_id} />
        </>
      )}
    </>
  );
}

function SaveProof({ claims, proven, state }: { claims: Claims; proven: Proven; state: string }) {
  const save = () =>
    download(
      proofFileName(claims),
      "application/json",
      proofFile(claims, proven, { computedAt: new Date().toISOString(), page: location.href, state }),
    );
  return (
    <div className="actions">
      <Button press={save}>Save the proof</Button>
      <Button press={() => print()}>Print</Button>
    </div>
  );
}

const SIGNS = { added: "completed", stale: "stale", removed: "failed" } as const;

interface VerdictProps {
  look: keyof typeof SIGNS;
  title: string;
  children: ReactNode;
}

const Verdict = ({ look, title, children }: VerdictProps) => (
  <div className={`verdict ${look}`} role={look === "removed" ? "alert" : "status"}>
    <SignOf of={SIGNS[look]} />
    <div>
      <b>{title}</b>
      <p>{children}</p>
    </div>
  </div>
);

function VerdictOf({ proof, proven }: { proof: RecordProof; proven: Proven }) {
  const failed = proven.checks.filter(({ holds }) => !holds).length;
  if (!proven.holds)
    return (
      <Verdict look="removed" title="The proof fails">
        {plural(failed, "check")} of {proven.checks.length} {failed === 1 ? "does" : "do"} not hold: the archive was
        changed, or a part of it is gone.
      </Verdict>
    );
  return proof.state === "sealed" ? (
    <Verdict look="added" title="Proved">
      This page read the archive’s bytes and computed {plural(proven.checks.length, "check")}: the record is unchanged
      since the seal of {proof.object?.day}.
    </Verdict>
  ) : (
    <Verdict look="stale" title="The object holds it">
      Its day is not sealed yet: the digest of tonight makes the proof complete.
    </Verdict>
  );
}

function CheckRow({ check }: { check: Check }) {
  return (
    <>
      <span className={check.holds ? "added" : "removed"}>
        <SignOf of={check.holds ? "completed" : "failed"} label={check.holds ? "holds" : "fails"} />
      </span>
      <div>
        <b>{check.title}</b> <span className="muted small">{check.about}</span>
        {check.holds ? (
          <div className="mono small muted">{check.computed}</div>
        ) : (
          <dl className="facts mono">
            <Fact of="expected" is={check.expected} />
            <Fact of="computed" is={<span className="removed">{check.computed}</span>} />
          </dl>
        )}
      </div>
    </>
  );
}

const digestColumns = ({ hashes }: Proven): ColumnOf<Claims["digests"][number]>[] => [
  {
    name: "Day",
    look: "fixed",
    cell: ({ day, location, key }) => (
      <a href={location} rel="noopener noreferrer" title={key}>
        {day}
      </a>
    ),
  },
  {
    name: "SHA-256 of its digest, as computed",
    look: "mono small",
    cell: ({ day }) => hashes.get(day) || "not read",
  },
];

function Archive({ claims, proof, proven }: { claims: Claims; proof: RecordProof; proven: Proven }) {
  return (
    <details>
      <summary>The object and {plural(claims.digests.length, "digest")}</summary>
      <dl className="facts">
        <Fact of="Object" isMono>
          <a href={claims.object.location} rel="noopener noreferrer">
            {claims.object.key}
          </a>
        </Fact>
        <Fact of="Holds">
          {plural(proof.object?.records ?? 0, "record")}, {count(claims.object.size_bytes)} bytes
        </Fact>
      </dl>
      <LongTable label="digests" columns={digestColumns(proven)} rows={claims.digests} />
      <p className="small muted">
        Signatures of digests, and objects of other roots, are left to <code>headwater verify</code>.
      </p>
    </details>
  );
}
