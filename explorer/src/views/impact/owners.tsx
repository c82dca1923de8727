/** Whom a change reaches: one sentence, and a row for each owner, with a message to copy. */

import { useMemo, useState } from "react";

import { count, plural } from "../../model/format";
import { EFFECTS, type Effect, effectOf, type Impact, NO_OWNER } from "../../model/impact";
import { byOwner, countOf, messageTo, type Reached } from "../../model/owners";
import { titleOfId } from "../../model/titles";
import { Chip } from "../../parts/controls";
import { type ColumnOf, LongTable } from "../../parts/table";
import { kindOf } from "../../url/ids";
import type { Narrowing } from "./impact";

const OWNERS_MAX = 20;

export function ByOwner({ impact, node, narrowing }: { impact: Impact; node: string; narrowing: Narrowing }) {
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
