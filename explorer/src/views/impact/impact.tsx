/** Impact: everything that is made of a dataset or a column, or by a job, as a table and as CSV. */

import { useMemo, useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation, useSearch } from "wouter";

import { impact as fetchImpact, impactCsv } from "../../api/report-queries";
import { count, plural, titleOf } from "../../model/format";
import type { Impact, Impacted } from "../../model/impact";
import { Loaded, download, NodeHead, NodeLink, Nothing, pageOf, useTitle, When } from "../../parts/frame";
import { LongTable, type ColumnOf } from "../../parts/table";
import { Tags } from "../../parts/tags";
import { kindOf, nameOf } from "../../url/ids";
import { DEPTH_MAX, link, mapLink } from "../../url/state";
import { StateCell } from "../map/list";
import { Flows } from "../usage/usage";

const KINDS: readonly [string, string][] = [["", "All"], ["dataset", "Datasets"], ["job", "Jobs"]];

export function ImpactView() {
  const query = new URLSearchParams(useSearch());
  const [, navigate] = useLocation();
  const [node, kind] = [query.get("node") ?? "", query.get("kind") ?? ""];
  const given = Number(query.get("depth") ?? DEPTH_MAX);
  const depth = Number.isInteger(given) && given >= 0 && given <= DEPTH_MAX ? given : DEPTH_MAX;
  const isColumn = kindOf(node) === "field";
  useTitle(node ? `Impact of ${nameOf(node).field ?? nameOf(node).name}` : "Impact");
  const result = useQuery({ queryKey: ["impact", node, depth], queryFn: ({ signal }) => fetchImpact(node, depth, signal), enabled: node !== "" && !isColumn });
  if (!node) return <Nothing title="Nothing is chosen">Find a dataset, job or column with the box above.</Nothing>;
  return (
    <div className="page">
      <NodeHead id={node}><p className="muted">What a change here reaches</p></NodeHead>
      {isColumn ? <Flows node={node} /> : (
        <>
          <div className="actions">
            <Link className="button main" href={mapLink({ node, dir: "down", depth: 3 })}>On the map</Link>
            <div className="group" role="group" aria-label="kind">
              {KINDS.map(([value, title]) => <button key={value} className="button" aria-pressed={kind === value} onClick={() => navigate(link("impact", { node, kind: value, depth: depth === DEPTH_MAX ? "" : depth }), { replace: true })}>{title}</button>)}
            </div>
          </div>
          <Loaded of={result}>{(found) => <Table impact={found} node={node} depth={depth} kind={kind} />}</Loaded>
        </>
      )}
    </div>
  );
}

const COLUMNS: ColumnOf<Impacted>[] = [
  { name: "Hops", number: true, by: (row) => row.hops, cell: (row) => row.hops },
  { name: "Name", by: (row) => row.item.name, cell: (row) => <NodeLink id={row.item.id} name={row.item.name} where={row.item.namespace} href={pageOf(row.item.id)} /> },
  { name: "Through", cell: (row) => <span className="small">{row.through.slice(0, 3).map((id) => titleOf(nameOf(id))).join(", ")}{row.through.length > 3 && ` and ${row.through.length - 3} more`}</span> },
  { name: "State", by: (row) => row.item.state ?? "", cell: (row) => <StateCell item={row.item} /> },
  { name: "Last", by: (row) => row.item.touchedAt ?? "", cell: (row) => <When time={row.item.touchedAt} /> },
  { name: "Tags", by: (row) => row.item.tags.join(), cell: (row) => (row.item.tags.length ? <Tags names={row.item.tags} /> : <span className="muted">–</span>) },
  { name: "Owners", by: (row) => row.item.owners.join(), cell: (row) => row.item.owners.join(", ") || <span className="muted">–</span> },
];

function Table({ impact, node, depth, kind }: { impact: Impact; node: string; depth: number; kind: string }) {
  const [filter, setFilter] = useState("");
  const all = impact.impacted;
  const rows = useMemo(() => all.filter(({ item }) => (!kind || item.kind === kind) && `${item.name} ${item.namespace} ${item.owners.join()}`.toLowerCase().includes(filter.toLowerCase())), [all, kind, filter]);
  const csv = async () => download(`impact-${nameOf(node).name}.csv`, "text/csv;charset=utf-8", await impactCsv(node, depth));
  if (!all.length) return <Nothing title="Nothing is made of it">No job that is known reads it, or what it writes.</Nothing>;
  const datasets = all.filter(({ item }) => item.kind === "dataset").length;
  return (
    <section className="card">
      <div className="actions">
        <b role="status">{plural(datasets, "dataset")} and {plural(all.length - datasets, "job")}, {plural(Math.max(...all.map(({ hops }) => hops)), "hop")} at most</b>
        <input className="field" placeholder="filter" aria-label="filter" value={filter} onChange={(event) => setFilter(event.target.value)} style={{ marginLeft: "auto" }} />
        <button className="button" onClick={() => void csv()}>CSV</button>
      </div>
      {impact.truncated && <p className="changed">~ The report is truncated: more is downstream than one request reads, {count(all.length)} are here.</p>}
      <LongTable label="impact" columns={COLUMNS} rows={rows} keyOf={(row) => row.item.id} />
    </section>
  );
}
