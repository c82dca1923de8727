import { expect, test } from "vitest";
import { aColumn, aSource, linesTo } from "./an-item.test-data";
import type { ColumnLines } from "./columns";
import { compareColumns } from "./compare-columns";

const idOf = (name: string) => aColumn(name).id;

/** "checked.seats: planes.seats raw.seats=sum" is a column, its sources, and how each is used. */
function someLines(...texts: readonly string[]): ColumnLines {
  const parsed = texts.map((text) => text.split(": ").map((part) => part.split(" ").filter(Boolean)));
  const sourceOf = (text: string) => {
    const [name = "", description = null] = text.split("=");
    return aSource(name, { description });
  };
  return {
    ...linesTo(Object.fromEntries(parsed.map(([[name = ""] = [], sources = []]) => [name, sources.map(sourceOf)]))),
    columns: parsed.map(([[name = "", type = "int"] = []]) => aColumn(name, { fieldType: type })),
  };
}

const shown = (changes: ReadonlyMap<string, string>) =>
  Object.fromEntries([...changes].map(([id, change]) => [id.replaceAll("datasetField:n:", ""), change]));

test("columns and lines that came, went or are made in another way are named", () => {
  const before = someLines("checked.seats: planes.seats", "checked.old: raw.old", "checked.id: raw.id");
  const now = someLines("checked.seats: planes.seats=max", "checked.new: raw.new", "checked.id: raw.id");
  const { changes, arrows } = compareColumns(before, now);
  expect(shown(changes)).toEqual({
    "checked:new": "added",
    "raw:new": "added",
    "checked:old": "removed",
    "raw:old": "removed",
    "checked:seats": "changed",
  });
  expect(shown(arrows)).toEqual({
    "planes:seats→checked:seats": "changed",
    "raw:new→checked:new": "added",
    "raw:old→checked:old": "removed",
  });
});

test("a changed column says what changed of it, and of very many lines the first", () => {
  const many = Array.from({ length: 9 }, (_, place) => `d.c${place}`);
  const { details } = compareColumns(
    someLines("a.x int: b.x c.y", `a.z: ${many.join(" ")}`),
    someLines("a.x bigint: b.x=max(x) e.v", "a.z: "),
  );
  expect(details.get(idOf("a.x"))).toEqual(["int → bigint", "~ from b.x, in another way", "+ from e.v", "− from c.y"]);
  expect(details.get(idOf("a.z"))?.slice(-2)).toEqual(["− from d.c5", "and 3 more of its lines"]);
});

test("the union keeps what is gone, with its sources", () => {
  const { lines } = compareColumns(someLines("a.x: b.x c.x"), someLines("a.x: b.x"));
  expect(lines.sources.get(idOf("a.x"))?.map(({ id }) => id)).toEqual([idOf("b.x"), idOf("c.x")]);
});
