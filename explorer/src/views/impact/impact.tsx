/** Impact: everything that is made of a dataset or a column, or by a job, as a table and as CSV. */

import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { Link, useLocation, useSearch } from "wouter";

import { impact as fetchImpact, impactCsv } from "../../api/report-queries";
import { count, plural } from "../../model/format";
import type { Impact, Impacted, Reach } from "../../model/impact";
import { byOwner, countOf, messageTo, type Reached } from "../../model/owners";
import { titleOfId } from "../../model/titles";
import { download, Loaded, NodeHead, NodeLink, Nothing, pageOf, useTitle, When } from "../../parts/frame";
import { SignOf } from "../../parts/signs";
import { type ColumnOf, LongTable } from "../../parts/table";
import { Tags } from "../../parts/tags";
import { kindOf, nameOf } from "../../url/ids";
import { columnsLink, DEPTH_MAX, link, mapLink } from "../../url/state";
import { StateCell } from "../map/list";

const KINDS: readonly [string, string][] = [
  ["", "All"],
  ["field", "Columns"],
  ["dataset", "Datasets"],
  ["job", "Jobs"],
];

const OWNERS_MAX = 20;

export function ImpactView() {
  const query = new URLSearchParams(useSearch());
  const [, navigate] = useLocation();
  const [node, kind] = [query.get("node") ?? "", query.get("kind") ?? ""];
  const given = Number(query.get("depth") ?? DEPTH_MAX);
  const depth = Number.isInteger(given) && given >= 0 && given <= DEPTH_MAX ? given : DEPTH_MAX;
  const isColumn = kindOf(node) === "field";
  useTitle(node ? `Impact of ${nameOf(node).field ?? nameOf(node).name}` : "Impact");
  const result = useQuery({
    queryKey: ["impact", node, depth],
    queryFn: ({ signal }) => fetchImpact(node, depth, signal),
    enabled: node !== "",
  });
  if (!node) return <Nothing title="Nothing is chosen">Find a dataset, job or column with the box above.</Nothing>;
  return (
    <div className="page">
      <NodeHead id={node}>
        <p className="muted">What a change here reaches</p>
      </NodeHead>
      <div className="actions">
        {isColumn ? (
          <Link className="button main" href={columnsLink({ node, dir: "down" })}>
            Its path
          </Link>
        ) : (
          <Link className="button main" href={mapLink({ node, dir: "down", depth: 3 })}>
            On the map
          </Link>
        )}
        <div className="group" role="group" aria-label="kind">
          {KINDS.filter(([value]) => isColumn || value !== "field").map(([value, title]) => (
            <button
              key={value}
              className="button"
              aria-pressed={kind === value}
              onClick={() =>
                navigate(link("impact", { node, kind: value, depth: depth === DEPTH_MAX ? "" : depth }), {
                  replace: true,
                })
              }
            >
              {title}
            </button>
          ))}
        </div>
      </div>
      {result.data && <ByOwner impact={result.data} node={node} />}
      <Loaded of={result}>{(answer) => <Table impact={answer} node={node} depth={depth} kind={kind} />}</Loaded>
    </div>
  );
}

const COLUMNS: ColumnOf<Impacted>[] = [
  { name: "Hops", number: true, by: (row) => row.hops, cell: (row) => row.hops },
  {
    name: "Name",
    by: (row) => row.item.name,
    cell: (row) => (
      <NodeLink id={row.item.id} name={row.item.name} where={row.item.namespace} href={pageOf(row.item.id)} />
    ),
  },
  {
    name: "Through",
    cell: (row) => (
      <span className="small">
        {row.through
          .slice(0, 3)
          .map((id) => titleOfId(id))
          .join(", ")}
        {row.through.length > 3 && ` and ${row.through.length - 3} more`}
      </span>
    ),
  },
  { name: "State", by: (row) => row.item.state ?? "", cell: (row) => <StateCell item={row.item} /> },
  { name: "Last", by: (row) => row.item.touchedAt ?? "", cell: (row) => <When time={row.item.touchedAt} /> },
  {
    name: "Tags",
    by: (row) => row.item.tags.join(),
    cell: (row) => (row.item.tags.length ? <Tags names={row.item.tags} /> : <span className="muted">–</span>),
  },
  {
    name: "Owners",
    by: (row) => row.item.owners.join(),
    cell: (row) => row.item.owners.join(", ") || <span className="muted">–</span>,
  },
];

/** A column of the table for what lies downstream of a column. */
const HOW: ColumnOf<Impacted> = {
  name: "How",
  by: ({ how }) => (how?.masked ? "masked" : how?.direct ? "direct" : "indirect"),
  cell: ({ how }) => how && <How how={how} />,
};

function How({ how }: { how: Reach }) {
  if (!how.certain)
    return (
      <span className="muted" title="Its job reads the column's dataset and reported no columns">
        perhaps
      </span>
    );
  return how.masked ? (
    <span className="state is-masked">
      <SignOf of="lock" />
      masked
    </span>
  ) : how.direct ? (
    <>direct</>
  ) : (
    <span className="muted">indirect</span>
  );
}

/** One sentence, and whom to tell: a row for each owner, with a message to copy. */
function ByOwner({ impact, node }: { impact: Impact; node: string }) {
  const owners = useMemo(() => byOwner(impact.impacted), [impact]);
  const [copied, setCopied] = useState<string | null>(null);
  if (!owners.length) return null;
  const named = owners.filter(({ owner }) => owner).length;
  const all = (kind: string) =>
    impact.impacted.filter(({ item }) => kindOf(item.id) === kind).map(({ item }) => item.name);
  const copy = async (reached: Reached) => {
    await navigator.clipboard.writeText(messageTo(reached, titleOfId(node), location.href));
    setCopied(reached.owner);
  };
  return (
    <section className="card" aria-label="whom it reaches">
      <p>
        <b>
          {countOf({ jobs: all("job"), datasets: all("dataset") })}
          {named > 0 && ` of ${plural(named, "owner")}`}.
        </b>
      </p>
      <table className="table">
        <thead>
          <tr>
            <th>Owner</th>
            <th>Has</th>
            <th className="number">Nearest</th>
            <th>Tell</th>
          </tr>
        </thead>
        <tbody>
          {owners.slice(0, OWNERS_MAX).map((reached) => (
            <tr key={reached.owner}>
              <td>{reached.owner || <span className="muted">no owner is known</span>}</td>
              <td>{countOf(reached)}</td>
              <td className="number">{plural(reached.hops, "hop")}</td>
              <td className="fixed">
                <button className="chip" onClick={() => void copy(reached)}>
                  {copied === reached.owner ? "copied" : "copy as message"}
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {owners.length > OWNERS_MAX && (
        <p className="muted">and {count(owners.length - OWNERS_MAX)} more: they are in the table below</p>
      )}
    </section>
  );
}

function Table({ impact, node, depth, kind }: { impact: Impact; node: string; depth: number; kind: string }) {
  const [filter, setFilter] = useState("");
  const all = impact.impacted;
  const rows = useMemo(
    () =>
      all.filter(
        ({ item }) =>
          (!kind || kindOf(item.id) === kind) &&
          `${item.name} ${item.namespace} ${item.owners.join()}`.toLowerCase().includes(filter.toLowerCase()),
      ),
    [all, kind, filter],
  );
  const csv = async () =>
    download(`impact-${nameOf(node).name}.csv`, "text/csv;charset=utf-8", await impactCsv(node, depth));
  if (!all.length)
    return <Nothing title="Nothing is made of it">No job that is known reads it, or what it writes.</Nothing>;
  const counts = KINDS.map(
    ([of, title]) =>
      [all.filter(({ item }) => kindOf(item.id) === of).length, title.toLowerCase().slice(0, -1)] as const,
  ).filter(([number]) => number);
  return (
    <section className="card">
      <div className="actions">
        <b role="status">
          {counts.map(([number, of]) => plural(number, of)).join(", ")};{" "}
          {plural(Math.max(...all.map(({ hops }) => hops)), "hop")} at most
        </b>
        <input
          className="field"
          placeholder="filter"
          aria-label="filter"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
          style={{ marginLeft: "auto" }}
        />
        <button className="button" onClick={() => void csv()}>
          CSV
        </button>
      </div>
      {impact.truncated && (
        <p className="changed">
          ~ The report is truncated: more is downstream than one request reads, {count(all.length)} are here.
        </p>
      )}
      <LongTable
        label="impact"
        columns={kindOf(node) === "field" ? [...COLUMNS.slice(0, 2), HOW, ...COLUMNS.slice(2)] : COLUMNS}
        rows={rows}
        keyOf={(row) => row.item.id}
      />
    </section>
  );
}
