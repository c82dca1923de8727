/** A record's path from its root, its descendants and its proof, and the folded tree of a root. */

import { useSearch } from "wouter";
import { MonoLink } from "../../parts/controls";
import { Nothing, useTitle } from "../../parts/frame";
import { SignOf } from "../../parts/signs";
import { link } from "../../url/state";
import { RecordsOfAction } from "./group";
import { RecordPath } from "./path";
import { Root } from "./root";

export function RecordView() {
  const query = new URLSearchParams(useSearch());
  const [node, root, action] = [query.get("node") ?? "", query.get("root") ?? "", query.get("action") ?? ""];
  useTitle(node || root ? `Record ${node || root}` : "Record");
  if (!node && !root)
    return <Nothing title="No record is chosen">Search for its node id, or for the place it was stored at.</Nothing>;
  return (
    <div className="page">
      <Head node={node} root={root} />
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

function Head({ node, root }: { node: string; root: string }) {
  return (
    <header className="head">
      <span className="kind-record">
        <SignOf of="record" />
      </span>
      <div>
        <div className="kind-word">{node ? root ? <RecordOf root={root} /> : "Record" : "Root of records"}</div>
        <h1 className="mono">{node || root}</h1>
      </div>
    </header>
  );
}

const RecordOf = ({ root }: { root: string }) => (
  <>
    Record of <MonoLink to={link("record", { root })}>{root}</MonoLink>
  </>
);
