import { expect, test } from "vitest";
import { anItem } from "./an-item.test-data";
import { columnsByDataset, effectOf, type Impacted, NO_OWNER, narrowed } from "./impact";

const DIRECT = { direct: true, masked: false, certain: true };
const impacted = (id: string, owners: string[], how?: Impacted["how"]): Impacted => ({
  item: anItem(id, { owners }),
  hops: 1,
  through: [],
  ...(how ? { how } : {}),
});
const ROWS = [
  impacted("job:load", ["team:shop"], DIRECT),
  impacted("dataset:lake:orders", ["team:shop", "team:bi"], { ...DIRECT, masked: true }),
  impacted("dataset:lake:dates", [], { ...DIRECT, direct: false }),
  impacted("datasetField:lake:orders:id", ["team:shop"], DIRECT),
  impacted("datasetField:lake:orders:day", ["team:shop"], DIRECT),
  impacted("datasetField:db:7:board:total", [], DIRECT),
];
const ANY = { kind: "", owner: "", effect: "", text: "" };

test.each([
  ["nothing: columns are left to their datasets", ANY, ["job:load", "dataset:lake:dates", "dataset:lake:orders"]],
  ["jobs", { ...ANY, kind: "job" }, ["job:load"]],
  ["columns with a text", { ...ANY, kind: "field", text: "DAY" }, ["datasetField:lake:orders:day"]],
  ["an owner", { ...ANY, owner: "team:bi" }, ["dataset:lake:orders"]],
  ["those without an owner", { ...ANY, owner: NO_OWNER }, ["dataset:lake:dates"]],
  ["an effect", { ...ANY, effect: "breaks" }, ["job:load"]],
  ["another effect", { ...ANY, effect: "rows change" }, ["dataset:lake:dates"]],
  ["a text of the owner's name", { ...ANY, text: "team:shop" }, ["job:load", "dataset:lake:orders"]],
  ["an owner and an effect", { ...ANY, owner: "team:shop", effect: "masked" }, ["dataset:lake:orders"]],
])("an impact, worst first, is narrowed to %s", (_, filter, ids) =>
  expect(narrowed(ROWS, filter).map(({ item }) => item.id)).toEqual(ids),
);

test("what is not known comes before what is masked, and that before what is direct", () => {
  const effects = [
    DIRECT,
    { ...DIRECT, masked: true },
    { ...DIRECT, direct: false },
    { direct: true, masked: true, certain: false },
  ].map(effectOf);
  expect(effects).toEqual(["breaks", "masked", "rows change", "perhaps"]);
});

test("impacted columns are told of their dataset, whose name may have a colon", () => {
  expect(Object.fromEntries(columnsByDataset(ROWS))).toEqual({
    "dataset:lake:orders": ["id", "day"],
    "dataset:db:7:board": ["total"],
  });
});
