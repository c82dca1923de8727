/** Rules of the source: which part may import which, and what no part may use. */

import ts from "typescript";
import { expect, test } from "vitest";

const files = import.meta.glob<string>(["./**/*.ts", "./**/*.tsx", "!./**/*.test*", "!./api/schema.ts"], {
  query: "?raw",
  import: "default",
  eager: true,
});
const importsOf = (folder: RegExp) =>
  Object.entries(files)
    .filter(([name]) => folder.test(name))
    .flatMap(([name, text]) =>
      [...text.matchAll(/(?:from |import\()"([^"]+)"/g)].map(([, from]) => `${name}: ${from}`),
    );
const linesWith = (pattern: RegExp) =>
  Object.entries(files).flatMap(([name, text]) =>
    text.split("\n").flatMap((line, index) => (pattern.test(line) ? [`${name}:${index + 1}: ${line.trim()}`] : [])),
  );
const words = "(?:one|some|every|found|near|made|wanted)";
// The one file with a store that outlives the tab.
const MINE = "./parts/mine.ts";
/** Variables, parameters, parts of either, and functions. */
const VAGUE = new RegExp(
  `\\b(?:const|let|function) ${words}\\b|[({[,] *${words} *(?:[,:)}\\]=]|$)|\\b${words} *=>|^ *${words},$`,
);

test("model, layout and url know neither React nor the API", () => {
  const pure = importsOf(/^\.\/(model|layout|url)\//);
  expect(pure.length).toBeGreaterThan(10);
  expect(pure.filter((line) => /: (react|@tanstack|@xyflow|wouter|.*\/(api|parts|views|draw)\/)/.test(line))).toEqual(
    [],
  );
});

test("views call the API through queries alone, and parts know no view", () => {
  expect(importsOf(/^\.\/views\//).filter((line) => /api\/schema/.test(line))).toEqual([]);
  expect(importsOf(/^\.\/(parts|draw|api)\//).filter((line) => /views\//.test(line))).toEqual([]);
});

test("a feature is named by the list of features alone", () => {
  const others = importsOf(/^\.\/(?!features\/)/).filter((line) => /features\//.test(line));
  expect(others).toEqual([]);
});

test.each([
  ["markup from text", /dangerouslySetInnerHTML|innerHTML|insertAdjacentHTML|document\.write/],
  ["a store that outlives the tab, but what is the reader's own", /localStorage|indexedDB|document\.cookie/, MINE],
  ["code from text", /\beval\(|new Function\(/],
  ["types that are switched off", /\bas any\b|: any\b|@ts-ignore|@ts-nocheck/],
  ["output to the console", /console\.(log|debug|info)/],
  ["a name that does not say what it holds", VAGUE],
])("nothing uses %s", (_, pattern, except = "nowhere") =>
  expect(linesWith(pattern).filter((line) => !line.startsWith(`${except}:`))).toEqual([]),
);

test("the store that outlives the tab has names alone: it knows neither tokens nor responses", () => {
  expect(importsOf(/^\.\/parts\/mine\.ts$/).sort()).toEqual([`${MINE}: ../model/mine`, `${MINE}: react`]);
  expect(importsOf(/^\.\/model\/mine\.ts$/)).toEqual(["./model/mine.ts: ../url/ids"]);
});

const LINES_MAX = 60;

/** The functions of a file that are longer than a reader takes in at once, each with its number of lines. */
function longFunctions(name: string, text: string): string[] {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const lineOf = (place: number) => file.getLineAndCharacterOfPosition(place).line;
  const long: string[] = [];
  const visit = (node: ts.Node) => {
    const lines = lineOf(node.end) - lineOf(node.getStart()) + 1;
    if (ts.isFunctionLike(node) && lines > LINES_MAX)
      long.push(`${name}:${lineOf(node.getStart()) + 1}: ${lines} lines`);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return long;
}

test("a component, a hook or any other function has at most 60 lines", () => {
  expect(Object.entries(files).flatMap(([name, text]) => longFunctions(name, text))).toEqual([]);
});

test("a file has at most 500 lines", () => {
  expect(
    Object.entries(files)
      .filter(([, text]) => text.split("\n").length > 500)
      .map(([name]) => name),
  ).toEqual([]);
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
