/** The roots whose id begins with what was typed; a token of some roots may be refused the list. */

import { useQuery } from "@tanstack/react-query";

import type { ResponseOf } from "../../api/client";
import { rootsFrom } from "../../api/record-queries";
import { count } from "../../model/format";
import { MonoLink } from "../../parts/controls";
import { useReader } from "../../parts/me";
import { type ColumnOf, LongTable } from "../../parts/table";
import { link } from "../../url/state";

type Root = ResponseOf<"/api/v1/records/roots">["roots"][number];

export function Roots({ prefix }: { prefix: string }) {
  const { root } = useReader();
  const { data } = useQuery({ ...rootsFrom(prefix), enabled: root === undefined });
  if (root !== undefined && !prefix)
    return (
      <p>
        Your token opens the root <MonoLink to={link("record", { root })}>{root}</MonoLink>.
      </p>
    );
  if (!data?.roots.length) return prefix ? null : <p className="muted">No root is listed here.</p>;
  return (
    <section className="card">
      <p className="muted">
        {prefix ? `Roots whose id begins with “${prefix}”` : "Roots, by their ids"}
        {data.cursor && `; the first ${count(data.roots.length)} are here`}
      </p>
      <LongTable label="roots" rows={data.roots} keyOf={(match) => match.root_id} columns={COLUMNS} />
    </section>
  );
}

const COLUMNS: ColumnOf<Root>[] = [
  {
    name: "Root",
    by: (match) => match.root_id,
    cell: (match) => <MonoLink to={link("record", { root: match.root_id })}>{match.root_id}</MonoLink>,
  },
  {
    name: "Archived",
    by: (match) => match.archivedOn ?? "",
    cell: (match) => match.archivedOn ?? <span className="muted">not yet</span>,
  },
  { name: "Records in the archive", by: (match) => match.archivedRecords },
];
