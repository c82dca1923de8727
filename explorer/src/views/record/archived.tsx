/** A record that has left the table, of an unknown root: what the archive's tables know of it. */

import { useQuery } from "@tanstack/react-query";

import { searchRecords } from "../../api/record-queries";
import { Button } from "../../parts/controls";
import { Loaded } from "../../parts/frame";
import { useReader } from "../../parts/me";
import { Path } from "./tree";

export function Archived({ node }: { node: string }) {
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
