import { CARD, FOLD, moreOf, STUB } from "../../draw/card";
import { type Figure, readInks, toSvg } from "../../draw/svg";
import type { Placed } from "../../layout/boxes";
import type { Comparison } from "../../model/compare";
import { toCsv } from "../../model/csv";
import { agoShort } from "../../model/format";
import type { Lineage } from "../../model/graph";
import { drawnArrows, type Picture } from "../../model/hubs";
import { rowsOf } from "../../model/list";
import { titlesOf } from "../../model/titles";
import { Downloads } from "../../parts/export";

const INK = { added: "good", removed: "bad", changed: "warn" } as const;

interface Props {
  lineage: Lineage;
  shown: Picture;
  placed: React.RefObject<Placed | null>;
  name: string;
  comparison: Comparison | null;
}

export function ExportMenu({ lineage, shown, placed, name, comparison }: Props) {
  const svg = () => {
    if (!placed.current) return null;
    const items = [...shown.hops.keys()].flatMap((id) => lineage.items.get(id) ?? []);
    const titles = titlesOf([...items, ...[...shown.hubs.keys()].flatMap((id) => lineage.items.get(id) ?? [])]);
    const figures: Figure[] = items.map((item) => ({
      id: item.id,
      ...CARD,
      kind: item.kind,
      title: titles.get(item.id)!.title,
      name: item.name,
      sign: item.kind,
      about:
        item.kind === "job"
          ? item.state
            ? `${item.state.toLowerCase()} ${agoShort(item.endedAt ?? item.startedAt, Date.now())}`
            : "never ran"
          : `${item.stale ? "stale · " : ""}${titles.get(item.id)!.place}`,
      ink:
        INK[comparison?.changes.get(item.id) ?? ("" as "added")] ??
        (item.state === "FAILED" || item.state === "ABORTED" ? "bad" : item.stale ? "warn" : item.kind),
    }));
    const folds: Figure[] = shown.folds.map((fold) => ({
      id: fold.id,
      ...FOLD,
      kind: "fold",
      title: moreOf(fold),
      name: "",
      about: "",
      sign: null,
      ink: "line",
    }));
    const stubs: Figure[] = shown.stubs.map(({ id, hub }) => ({
      id,
      ...STUB,
      kind: "fold",
      title: `⊣ ${titles.get(hub)?.title ?? ""}`,
      name: lineage.items.get(hub)?.name ?? "",
      about: "",
      sign: null,
      ink: "dataset",
    }));
    const looks = drawnArrows(shown).map((arrow) => {
      const look = comparison?.arrows.get(`${arrow.from}→${arrow.to}`);
      return {
        ...arrow,
        ink: look === "is-added" ? ("good" as const) : look === "is-removed" ? ("bad" as const) : ("line" as const),
        dashed: look === "is-removed" || arrow.isControl === true,
      };
    });
    return toSvg([...figures, ...folds, ...stubs], looks, placed.current, readInks());
  };
  const csv = () =>
    toCsv(
      ["hops", "kind", "namespace", "name", "state", "stale", "last", "inputs", "outputs", "change", "details"],
      rowsOf(lineage, shown.hops, comparison).map(({ item, hops, inputs, outputs, change, details }) => [
        hops,
        item.kind,
        item.namespace,
        item.name,
        item.state,
        item.stale,
        item.touchedAt,
        inputs,
        outputs,
        change,
        details.join("; "),
      ]),
    );
  return <Downloads name={name} svg={svg} csv={csv} />;
}
