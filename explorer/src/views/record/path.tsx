/** A record between its root and its leaves: the path to it, what came of it, and its proof. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { Failure } from "../../api/client";
import { type Place, recordNode, searchRecords } from "../../api/record-queries";
import { plural } from "../../model/format";
import { outlineOf } from "../../model/outline";
import { Button, MonoLink } from "../../parts/controls";
import { Loaded } from "../../parts/frame";
import { useReader } from "../../parts/me";
import { link } from "../../url/state";
import { Proof } from "./proof";
import { Path, Tree } from "./tree";

export function RecordPath({ node, root }: { node: string; root: string }) {
  const live = useQuery({ ...recordNode(node), retry: false });
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
              <Match key={match.record.root_id} match={match} node={node} />
            ))}
            {truncated && <p className="muted">It has records in more roots.</p>}
          </>
        );
      }}
    </Loaded>
  );
}

/** The record of a node in a root. */
interface Of {
  match: Place;
  node: string;
}

function Match({ match, node }: Of) {
  const root = match.record.root_id;
  return (
    <div className="columns2 wider">
      <section className="card">
        <h2>
          From its root <MonoLink to={link("record", { root })}>{root}</MonoLink>
        </h2>
        {match.complete === false && <Gap match={match} />}
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
          <Tree folds={outlineOf(match.descendants, node)} root={root} />
        </section>
        <Proof root={root} node={node} withPath={false} />
      </div>
    </div>
  );
}

/** The reason why a path does not lead to the root. */
function Gap({ match }: Pick<Of, "match">) {
  return (
    <p className="changed">
      ~{" "}
      {match.missing ? (
        <>
          What came before is not in the table:{" "}
          {match.missing.map((missing) => (
            <Link key={missing} className="mono" href={link("record", { node: missing, root: match.record.root_id })}>
              {missing}
            </Link>
          ))}
        </>
      ) : (
        `This path does not lead to the root: a circle over ${match.cycle?.join(", ") ?? "its parents"}.`
      )}
    </p>
  );
}

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
              <Button press={() => void result.refetch()}>The archive is still being searched: search again</Button>
            ) : (
              <p>Nothing of this id is known.</p>
            ))}
          <Path steps={records} here={node} />
        </section>
      )}
    </Loaded>
  );
}
