/** Rules of the source that Biome does not know; `biome.json` has the others. */

import { expect, test } from "vitest";

const files = import.meta.glob<string>(["./**/*.ts", "./**/*.tsx", "!./**/*.test*", "!./api/schema.ts"], {
  query: "?raw",
  import: "default",
  eager: true,
});
const linesWith = (pattern: RegExp) =>
  Object.entries(files).flatMap(([name, text]) =>
    text.split("\n").flatMap((line, index) => (pattern.test(line) ? [`${name}:${index + 1}: ${line.trim()}`] : [])),
  );
const words = "(?:one|some|every|found|near|made|wanted)";
/** Variables, parameters, parts of either, and functions. */
const VAGUE = new RegExp(
  `\\b(?:const|let|function) ${words}\\b|[({[,] *${words} *(?:[,:)}\\]=]|$)|\\b${words} *=>|^ *${words},$`,
);

test.each([
  ["markup from text", /innerHTML|insertAdjacentHTML|document\.write/],
  ["code from text", /new Function\(/],
  ["a name that does not say what it holds", VAGUE],
])("nothing uses %s", (_, pattern) => expect(linesWith(pattern)).toEqual([]));

test("the store that outlives the tab has names alone: it knows neither tokens nor responses", () => {
  const importsOf = (name: string) =>
    [...files[name]!.matchAll(/(?:from |import\()"([^"]+)"/g)].map(([, from]) => from);
  expect(importsOf("./parts/mine.ts").sort()).toEqual(["../model/mine", "react"]);
  expect(importsOf("./model/mine.ts")).toEqual(["../url/ids"]);
});

test.each([
  "const one = 1;",
  "const { some } = rows;",
  "const [every, rest] = rows;",
  "rows.map(found => found.id)",
  "rows.map((found, index) => index)",
  "function near() {",
  "change: (some: Row) => void;",
  "const load = (rows: Row[], wanted = 1) => rows;",
])("%s has a name that does not say what it holds", (line) => expect(line).toMatch(VAGUE));

test.each(['rows.some((row) => row.id === "one")', "rows.every(Boolean)"])("%s has none", (line) =>
  expect(line).not.toMatch(VAGUE),
);
