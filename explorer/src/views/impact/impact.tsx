/** What a change reaches: whom, as a row for each owner, and everything downstream as a table and as CSV. */

import "./table.css";

import { useMemo, useState } from "react";
import { useLocation } from "wouter";
import { impact as fetchImpact, impactCsv } from "../../api/list-queries";
import { keepRows } from "../../model/csv";
import { count, plural } from "../../model/format";
import { lastOf } from "../../model/freshness";
import {
  byOwner,
  columnsByDataset,
  countOf,
  EFFECTS,
  type Effect,
  effectOf,
  harmOf,
  type Impact,
  type Impacted,
  type ImpactFilter,
  messageTo,
  NO_OWNER,
  narrowed,
  type Reached,
} from "../../model/impact";
import { titleOfId } from "../../model/titles";
import { Chip, Choices, Filter, MainLink } from "../../parts/controls";
import { CsvButton } from "../../parts/export";
import { type Marks, tags, useOldData, Written } from "../../parts/facts";
import { Asked, EmptyState, NodeHead, NodeLink, pageOf, useAddress, useTitle } from "../../parts/frame";
import { SignOf } from "../../parts/signs";
import { type ColumnOf, LongTable } from "../../parts/table";
import { kindOf, nameOf } from "../../url/ids";
import { columnsLink, DEPTH_MAX, link, mapLink, parseDepth } from "../../url/state";
import { StateCell } from "../map/list";

const KINDS: readonly [string, string][] = [
  ["", "All"],
  ["field", "Columns"],
  ["dataset", "Datasets"],
  ["job", "Jobs"],
];

/** The filter of the view; what is chosen is in its address, the text is not. */
interface Narrowing extends ImpactFilter {
  change: (changes: Partial<Pick<ImpactFilter, "kind" | "owner" | "effect">>) => void;
  setText: (text: string) => void;
}

/** What the address of the view says, and its filter. */
function useImpactState() {
  const { node, depth: given, ...chosen } = useAddress("node", "depth", "kind", "owner", "effect");
  const [, navigate] = useLocation();
  const [text, setText] = useState("");
  const depth = parseDepth(given, DEPTH_MAX);
  const change: Narrowing["change"] = (changes) =>
    navigate(link("impact", { node, ...chosen, ...changes, depth: depth === DEPTH_MAX ? "" : depth }), {
      replace: true,
    });
  const narrowing: Narrowing = { ...chosen, text, setText, change };
  return { node, depth, narrowing };
}

export function ImpactView() {
  const { node, depth, narrowing } = useImpactState();
  useTitle(node ? `Impact of ${nameOf(node).field ?? nameOf(node).name}` : "Impact");
  if (!node)
    return <EmptyState title="Nothing is chosen">Find a dataset, job or column with the box above.</EmptyState>;
  const isColumn = kindOf(node) === "field";
  return (
    <div className="page wide">
      <NodeHead id={node}>
        <p className="muted">What a change here reaches</p>
      </NodeHead>
      <div className="actions">
        {isColumn ? (
          <MainLink to={columnsLink({ node, dir: "down" })}>Its path</MainLink>
        ) : (
          <MainLink to={mapLink({ node, dir: "down", depth: 3 })}>On the map</MainLink>
        )}
        <Choices
          label="kind"
          among={KINDS.filter(([value]) => isColumn || value !== "field")}
          value={narrowing.kind}
          choose={(kind) => narrowing.change({ kind })}
        />
      </div>
      <Asked query={fetchImpact(node, depth)}>
        {(impact) => (
          <>
            <ByOwner impact={impact} node={node} narrowing={narrowing} />
            <Table impact={impact} node={node} depth={depth} narrowing={narrowing} />
          </>
        )}
      </Asked>
    </div>
  );
}

const OWNERS_MAX = 20;

function ByOwner({ impact, node, narrowing }: { impact: Impact; node: string; narrowing: Narrowing }) {
  const owners = useMemo(() => byOwner(impact.impacted), [impact]);
  if (!owners.length) return null;
  const named = owners.filter(({ owner }) => owner).length;
  const all = (kind: string) =>
    impact.impacted.filter(({ item }) => kindOf(item.id) === kind).map(({ item }) => item.name);
  return (
    <section className="card" aria-label="whom it reaches">
      <p>
        <b>
          {countOf({ jobs: all("job"), datasets: all("dataset") })}
          {named > 0 && ` of ${plural(named, "owner")}`}.
        </b>{" "}
        <Effects impact={impact} narrowing={narrowing} />
      </p>
      <Owners owners={owners} node={node} narrowing={narrowing} />
      {owners.length > OWNERS_MAX && (
        <p className="muted">and {count(owners.length - OWNERS_MAX)} more: they are in the table below</p>
      )}
    </section>
  );
}

/** What a change of a column does to its jobs and datasets, as numbers that narrow the table below. */
function Effects({ impact, narrowing }: { impact: Impact; narrowing: Narrowing }) {
  const effects = impact.impacted.flatMap(({ item, how }) => (how && kindOf(item.id) !== "field" ? effectOf(how) : []));
  const counts = Object.keys(EFFECTS).map((name) => {
    const effect = name as Effect;
    return [effect, effects.filter((other) => other === effect).length] as const;
  });
  return counts
    .filter(([, number]) => number)
    .map(([effect, number]) => (
      <button
        key={effect}
        className={effect === "breaks" ? "chip removed" : "chip"}
        title={EFFECTS[effect]}
        aria-pressed={narrowing.effect === effect}
        onClick={() => narrowing.change({ effect: narrowing.effect === effect ? "" : effect })}
      >
        {count(number)} {effect}
      </button>
    ));
}

function Owners({ owners, node, narrowing }: { owners: readonly Reached[]; node: string; narrowing: Narrowing }) {
  const [copied, setCopied] = useState<string | null>(null);
  const copy = async (reached: Reached) => {
    await navigator.clipboard.writeText(
      messageTo(reached, titleOfId(node), { time: new Date().toISOString(), address: location.href }),
    );
    setCopied(reached.owner);
  };
  const keyOf = ({ owner }: Reached) => owner || NO_OWNER;
  const columns: ColumnOf<Reached>[] = [
    {
      name: "Owner",
      cell: (reached) => (
        <>
          <Chip
            title="show only these below"
            on={narrowing.owner === keyOf(reached)}
            press={() => narrowing.change({ owner: narrowing.owner === keyOf(reached) ? "" : keyOf(reached) })}
          >
            {reached.owner || "no owner is known"}
          </Chip>{" "}
          <Chip press={() => void copy(reached)}>{copied === reached.owner ? "copied" : "copy as message"}</Chip>
        </>
      ),
    },
    { name: "Has", cell: countOf },
    { name: "Nearest", number: true, cell: ({ hops }) => plural(hops, "hop") },
  ];
  return <LongTable label="owners" columns={columns} rows={owners.slice(0, OWNERS_MAX)} keyOf={keyOf} height="none" />;
}

const COLUMNS_MAX = 4;

interface Props {
  impact: Impact;
  node: string;
  depth: number;
  narrowing: Narrowing;
}

function Table({ impact, node, depth, narrowing }: Props) {
  const all = impact.impacted;
  const { kind, owner, effect, text } = narrowing;
  const rows = useMemo(() => narrowed(all, { kind, owner, effect, text }), [all, kind, owner, effect, text]);
  const marks = useOldData();
  const columns = useMemo(() => columnsFor(all, kindOf(node) === "field", marks), [all, node, marks]);
  const isNarrowed = [kind, owner, effect, text].some(Boolean);
  const csv = async () => {
    const whole = await impactCsv(node, depth);
    return isNarrowed ? keepRows(whole, new Set(rows.map(({ item }) => item.id))) : whole;
  };
  if (!all.length)
    return <EmptyState title="Nothing is made of it">No job that is known reads it, or what it writes.</EmptyState>;
  return (
    <section className="card impact">
      <div className="actions">
        <b role="status">
          {isNarrowed ? `${count(rows.length)} shown of ` : ""}
          {countsOf(all)}; {plural(Math.max(...all.map(({ hops }) => hops)), "hop")} at most
        </b>
        <Filter label="filter" value={text} set={narrowing.setText} look="push" />
        <CsvButton name={`impact-${nameOf(node).name}`} load={csv} />
      </div>
      {impact.truncated && (
        <p className="changed">
          ~ The report is truncated: more is downstream than one request reads, {count(all.length)} are here.
        </p>
      )}
      <LongTable label="impact" columns={columns} rows={rows} keyOf={(row) => row.item.id} />
    </section>
  );
}

const countsOf = (all: readonly Impacted[]) =>
  KINDS.map(
    ([of, title]) =>
      [all.filter(({ item }) => kindOf(item.id) === of).length, title.toLowerCase().slice(0, -1)] as const,
  )
    .filter(([number]) => number)
    .map(([number, of]) => plural(number, of))
    .join(", ");

/** The columns of the table; for a column's impact also its effect, and the columns that each dataset has of it. */
function columnsFor(all: readonly Impacted[], isColumn: boolean, marks: Marks): ColumnOf<Impacted>[] {
  const columns = columnsByDataset(all);
  const name: ColumnOf<Impacted> = {
    name: "Name",
    by: (row) => row.item.name,
    cell: ({ item }) => {
      const names = columns.get(item.id) ?? [];
      return (
        <>
          <NodeLink id={item.id} name={item.name} where={item.namespace} href={pageOf(item.id)} />
          {names.length > 0 && (
            <div className="mono small muted under" title={names.join(", ")}>
              {names.slice(0, COLUMNS_MAX).join(", ")}
              {names.length > COLUMNS_MAX && ` and ${count(names.length - COLUMNS_MAX)} more`}
            </div>
          )}
        </>
      );
    },
  };
  const last: ColumnOf<Impacted> = {
    name: "Last",
    by: ({ item }) => lastOf(item, marks?.get(item.id)) ?? "",
    cell: ({ item }) => <Written time={lastOf(item, marks?.get(item.id))} freshness={marks?.get(item.id)} />,
  };
  return [HOPS, name, OWNERS, ...(isColumn ? [HOW] : []), THROUGH, STATE, last, TAGS];
}

const HOPS: ColumnOf<Impacted> = { name: "Hops", number: true, by: (row) => row.hops };

const HOW: ColumnOf<Impacted> = {
  name: "What it does",
  by: harmOf,
  cell: ({ how }) => {
    if (!how) return null;
    const effect = effectOf(how);
    return (
      <span
        className={effect === "masked" ? "state is-masked" : effect === "breaks" ? "removed" : "muted"}
        title={EFFECTS[effect]}
      >
        {effect === "masked" && <SignOf of="lock" />}
        {effect}
      </span>
    );
  },
};

const OWNERS: ColumnOf<Impacted> = { name: "Owners", by: (row) => row.item.owners.join(", ") };

const THROUGH: ColumnOf<Impacted> = {
  name: "Through",
  cell: (row) => (
    <span className="small">
      {row.through
        .slice(0, 3)
        .map((id) => titleOfId(id))
        .join(", ")}
      {row.through.length > 3 && ` and ${row.through.length - 3} more`}
      {row.otherPart && (
        <span className="muted" title="its last run read other partitions or locations than were last written">
          {" · read another part"}
        </span>
      )}
    </span>
  ),
};

const STATE: ColumnOf<Impacted> = {
  name: "State",
  by: (row) => row.item.state ?? "",
  cell: (row) => <StateCell item={row.item} />,
};

const TAGS = tags<Impacted>(({ item }) => item.tags);
