/** All records of a root, folded to a tree. */

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { rootOutline, rootTrace } from "../../api/record-queries";
import { plural } from "../../model/format";
import { nestGroups } from "../../model/outline";
import { download, Loaded } from "../../parts/frame";
import { Tree } from "./tree";

export function Root({ root }: { root: string }) {
  const result = useQuery(rootOutline(root));
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
