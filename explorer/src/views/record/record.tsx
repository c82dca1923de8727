/** A record's path from its root, its descendants and its proof, and the folded tree of a root. */

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Link, useSearch } from "wouter";

import { Failure } from "../../api/client";
import { recordNode, rootOutline, rootTrace, searchRecords } from "../../api/record-queries";
import { plural } from "../../model/format";
import { nestGroups, outlineOf } from "../../model/outline";
import { download, Loaded, Nothing, useTitle } from "../../parts/frame";
import { useReader } from "../../parts/me";
import { SignOf } from "../../parts/signs";
import { link } from "../../url/state";
import { RecordsOfAction } from "./group";
import { Proof } from "./proof";
import { Path, Tree } from "./tree";

export function RecordView() {
  const query = new URLSearchParams(useSearch());
  const [node, root, action] = [query.get("node") ?? "", query.get("root") ?? "", query.get("action") ?? ""];
  useTitle(node || root ? `Record ${node || root}` : "Record");
  if (!node && !root)
    return <Nothing title="No record is chosen">Search for its node id, or for the place it was stored at.</Nothing>;
  return (
    <div className="page">
      <header className="head">
        <span className="kind-record">
          <SignOf of="record" />
        </span>
        <div>
          <div className="kind-word">
            {node ? (
              root ? (
                <>
                  Record of{" "}
                  <Link className="mono" href={link("record", { root })}>
                    {root}
                  </Link>
                </>
              ) : (
                "Record"
              )
            ) : (
              "Root of records"
            )}
          </div>
          <h1 className="mono">{node || root}</h1>
        </div>
      </header>
      {node ? (
        <RecordPath node={node} root={root} />
      ) : action ? (
        <RecordsOfAction root={root} action={action} />
      ) : (
        <Root root={root} />
      )}
    </div>
  );
}

function RecordPath({ node, root }: { node: string; root: string }) {
  const live = useQuery({
    queryKey: ["record", node],
    queryFn: ({ signal }) => recordNode(node, signal),
    retry: false,
  });
  if (live.error instanceof Failure && live.error.status === 404)
    return root ? <Proof root={root} node={node} withPath /> : <Archived node={node} />;
  return (
    <Loaded of={live} rows={4}>
      {({ matches, truncated }) => {
        const of = matches.filter((match) => !root || match.record.root_id === root);
        if (!of.length) return <Proof root={root} node={node} withPath />;
        return (
          <>
            {of.map((match) => (
              <div key={match.record.root_id} className="columns2 wider">
                <section className="card">
                  <h2>
                    From its root{" "}
                    <Link className="mono" href={link("record", { root: match.record.root_id })}>
                      {match.record.root_id}
                    </Link>
                  </h2>
                  {match.complete === false && (
                    <p className="changed">
                      ~{" "}
                      {match.missing ? (
                        <>
                          What came before is not in the table:{" "}
                          {match.missing.map((missing) => (
                            <Link
                              key={missing}
                              className="mono"
                              href={link("record", { node: missing, root: match.record.root_id })}
                            >
                              {missing}
                            </Link>
                          ))}
                        </>
                      ) : (
                        `This path does not lead to the root: a circle over ${match.cycle?.join(", ") ?? "its parents"}.`
                      )}
                    </p>
                  )}
                  <Path steps={match.path} here={node} />
                </section>
                <div>
                  <section className="card">
                    <h2>
                      What came of it{" "}
                      <span className="muted">
                        {plural(match.descendants.length, "record")}
                        {match.truncated && ", at least"}
                      </span>
                    </h2>
                    {match.descendants.length === 0 && <p className="muted">Nothing: it is a leaf.</p>}
                    <Tree folds={outlineOf(match.descendants, node)} root={match.record.root_id} />
                  </section>
                  <Proof root={match.record.root_id} node={node} withPath={false} />
                </div>
              </div>
            ))}
            {truncated && <p className="muted">It has records in more roots.</p>}
          </>
        );
      }}
    </Loaded>
  );
}

/** A record that has left the table, of an unknown root: what the archive's tables know of it. */
function Archived({ node }: { node: string }) {
  const { root } = useReader();
  const result = useQuery({
    queryKey: ["record-archived", node, root],
    queryFn: ({ signal }) => searchRecords({ node, root }, undefined, signal),
  });
  return (
    <Loaded of={result} rows={4}>
      {({ records, cursor }) => (
        <section className="card">
          <p className="muted">It is no longer in the table; this is what the archive has.</p>
          {records.length === 0 &&
            (cursor ? (
              <button className="button" onClick={() => void result.refetch()}>
                The archive is still being searched: search again
              </button>
            ) : (
              <p>Nothing of this id is known.</p>
            ))}
          <Path steps={records} here={node} />
        </section>
      )}
    </Loaded>
  );
}

function Root({ root }: { root: string }) {
  const result = useQuery({ queryKey: ["outline", root], queryFn: ({ signal }) => rootOutline(root, signal) });
  const trace = async () =>
    download(
      `trace-${root.replace(/[^\w.-]+/g, "_").slice(0, 60)}.jsonl`,
      "application/x-ndjson",
      await rootTrace(root),
    );
  const folds = useMemo(() => nestGroups(result.data?.groups ?? []), [result.data]);
  return (
    <section className="card">
      <div className="actions">
        <h2>All that came of it, folded by what was done</h2>
        <button className="button push" onClick={() => void trace()}>
          Trace as JSON lines
        </button>
      </div>
      <Loaded of={result}>
        {({ records, truncated }) => (
          <>
            <p className="muted">
              {plural(records, "record")}, live and archived{truncated && "; of the steps, the first are here"}
            </p>
            <Tree folds={folds} root={root} />
          </>
        )}
      </Loaded>
    </section>
  );
}
