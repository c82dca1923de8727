import { expect, test } from "vitest";
import { cutsOf, datasetOf, isAmbiguous, learnName, slashed } from "../url/ids";
import { columnsLink, mapLink, parseColumns, parseMap, parseTime } from "../url/state";
import { summaryOf } from "./changes";
import { keepRows, toCsv } from "./csv";
import { shortError } from "./facets";
import { age, ago, agoOn, agoShort, cutMiddle, duration, since } from "./format";
import { outlineOf } from "./outline";
import { termsOf } from "./terms";
import { breakLines, cutFront, cutToLines, splitTitle, titleOf, titlesOf } from "./titles";

const queryOf = (address: string) => address.slice(address.indexOf("?"));

test("what a map's address says is read back", () => {
  const state = parseMap(
    "?node=dataset:s3://a:b&dir=up&depth=3&open=up:x&open=down:y&sel=job:a:b&list=1&at=2025-11-20&temporary=1&pick=p&all=up:q&from=f&to=t&whole=1&beside=up:z&vs=2025-11-19",
  );
  expect(parseMap(queryOf(mapLink(state)))).toEqual(state);
  expect(state.at).toBe("2025-11-20T00:00:00.000Z");
});

test("what is so anyway is left out of an address", () => {
  expect(mapLink(parseMap("?node=dataset:a:b&dir=both&depth=1&list=0"))).toBe("/map?node=dataset%3Aa%3Ab");
  expect(columnsLink(parseColumns("?node=dataset:a:b&depth=5"))).toBe("/columns?node=dataset%3Aa%3Ab");
});

test.each(["", "-1", "1.5", "21", "x", "1e9"])("a depth of %j is the usual one", (depth) => {
  expect(parseMap(`?node=a&depth=${depth}`).depth).toBe(1);
});

test.each([
  ["2025-11-20 12:00:00", "2025-11-20T12:00:00.000Z"],
  ["2025-11-20T12:00", "2025-11-20T12:00:00.000Z"],
  ["2025-11-20T12:00:00+02:00", "2025-11-20T10:00:00.000Z"],
  ["some day", ""],
  ["", ""],
])("the time %j is %j: UTC, where no zone is given", (text, time) => expect(parseTime(text)).toBe(time));

test.each([
  ["dataset:s3://lake:raw", false],
  ["dataset:postgres://db.example:5432:public.orders", false],
  ["datasetField:s3://lake:raw:a.b", false],
  ["dataset:dashboards:100:ceo morning", true],
  ["datasetField:dashboards:100:ceo morning:total", true],
])("%j may be cut in several ways: %j", (id, expected) => expect(isAmbiguous(id)).toBe(expected));

test("an id is cut in one way once its names are known", () => {
  learnName("dataset:dashboards:7:board", { namespace: "dashboards", name: "7:board" });
  expect(isAmbiguous("dataset:dashboards:7:board")).toBe(false);
  expect(cutsOf("datasetField:dashboards:7:board:total")).toEqual([
    { kind: "field", namespace: "dashboards", name: "7:board", field: "total" },
  ]);
});

test("ids are cut at the last colon first, then at others", () => {
  expect(cutsOf("dataset:s3://lake:raw").map(({ namespace, name }) => [namespace, name])).toEqual([
    ["s3://lake", "raw"],
    ["s3", "//lake:raw"],
  ]);
  expect(cutsOf("datasetField:s3://lake:raw:a.b")[0]).toEqual({
    kind: "field",
    namespace: "s3://lake",
    name: "raw",
    field: "a.b",
  });
  expect(cutsOf("nothing")).toEqual([]);
  expect(datasetOf("datasetField:s3://lake:raw:a.b")).toBe("dataset:s3://lake:raw");
});

test("a field's path is written with slashes for CDAP's routes", () => {
  expect([slashed("a.b"), slashed("a/b"), slashed("`a.b`.c"), slashed("a\\b")]).toEqual([
    "a/b",
    "a\\/b",
    "a.b/c",
    "a\\\\b",
  ]);
});

test("a cell that a spreadsheet would compute has an apostrophe before it", () => {
  expect(toCsv(["a"], [["=1"], ["＋1"], ['say "x"'], [-1], [null], [true]])).toBe(
    '"a"\r\n"\'=1"\r\n"\'＋1"\r\n"say ""x"""\r\n"-1"\r\n""\r\n"true"\r\n',
  );
});

test("of a report the rows of some ids are kept, wherever its column of ids is", () => {
  const row = (...cells: string[]) => `${cells.map((text) => `"${text}"`).join(",")}\r\n`;
  const [head, query] = [row("section", "name", "id", "last"), row("query", "", "dataset:n:raw", "")];
  const rows = [row("impacted", 'a ""b"",\r\nc', 'job:n:a ""b""', "true"), row("impacted", "out", "dataset:n:out", "")];
  expect(keepRows(head + query + rows.join(""), new Set(['job:n:a "b"']))).toBe(head + query + rows[0]);
});

test("times and names for people", () => {
  const now = Date.parse("2025-11-20T12:00:00Z");
  const words = (write: (time: string, now: number) => string, ...times: string[]) =>
    times.map((time) => write(time, now)).join("; ");
  const [HOURS, DAYS, YEAR] = ["2025-11-20T10:00:00Z", "2025-11-09T00:00:00Z", "2024-11-01T00:00:00Z"];
  expect(words(ago, "2025-11-20T11:59:58Z", HOURS, "2025-11-19T11:00:00Z", YEAR)).toBe(
    "just now; 2 hours ago; 1 day ago; 2024-11-01",
  );
  expect(words(agoOn, HOURS, DAYS, YEAR)).toBe("2 hours ago; 11 days ago (9 Nov); 2024-11-01");
  expect(words(agoShort, "2025-11-20T11:59:40Z", HOURS, DAYS)).toBe("20 s ago; 2 h ago; 11 d ago");
  expect(words(age, "2025-11-20T13:00:00Z", "2025-11-17T11:00:00Z", "2025-09-01", "2023-11-01")).toBe(
    "0 s; 3 d; 2 mo; 2 y",
  );
  expect([duration(900), duration(61_000), duration(null), cutMiddle("emissions.demo_checked", 12)]).toEqual([
    "900 ms",
    "1 min 1 s",
    "–",
    "emissi…ecked",
  ]);
  expect([9_960, 59_600, 179_600, 3_599_600, 7_199_000].map(duration)).toEqual([
    "10 s",
    "1 min 0 s",
    "3 min 0 s",
    "1 h 0 min",
    "2 h 0 min",
  ]);
});

test("titles of one picture: what tells things apart, beside where they are", () => {
  const shown = (...things: [string, string, string?][]) =>
    [
      ...titlesOf(
        things.map(([namespace, name, kind = "dataset"], place) => ({ id: String(place), kind, namespace, name })),
      ).values(),
    ].map(({ title, place }) => [title, place]);
  expect(shown(["file", "/demo/out/checked/"], ["s3://lake", "raw/2013"], ["s3://lake", "checked"])).toEqual([
    ["out / checked", "demo"],
    ["raw", "lake"],
    ["checked", "lake"],
  ]);
  expect(shown(["s3://lake", "bronze/shop/orders/v3/compression=zstd"], ["s3://lake", "silver/shop/orders"])).toEqual([
    ["bronze / shop / orders", "lake"],
    ["silver / shop / orders", "lake"],
  ]);
  expect(
    shown(
      ["snowflake://acme.eu-central-1", "nordwind.gold.revenue"],
      ["postgres://marts.example:5432", "public.co2_by_day"],
    ),
  ).toEqual([
    ["revenue", "nordwind.gold"],
    ["co2_by_day", "public"],
  ]);
  expect(shown(["a", "same"], ["b", "same"])).toEqual([
    ["same", "a"],
    ["same", "b"],
  ]);
  expect(shown(["s3://lake", "shop/orders"], ["s3://lab", "shop/orders"])).toEqual([
    ["shop / orders", "lake"],
    ["shop / orders", "lab"],
  ]);
  expect(shown(["postgres://a:1", "x.y"], ["file", "/y/v1"])).toEqual([
    ["x.y", "postgres a"],
    ["y", "file"],
  ]);
  expect(shown(["airflow", "dags/etl", "job"], ["s3://lake", "k=v/part-0"])).toEqual([
    ["dags/etl", "airflow"],
    ["part-0", "k=v"],
  ]);
  expect([
    titleOf({ namespace: "s3://lake", name: "orders/compression=zstd" }),
    titleOf({ namespace: "db", name: "public.orders" }),
    titleOf({ namespace: "looker://bi", name: "7: P/L of Europe" }),
  ]).toEqual(["orders", "public.orders", "7: P/L of Europe"]);
});

test("an error in short: what happened, and the last cause", () => {
  expect(shortError("Job aborted\n\tat a.b.C(D.scala:1)\nCaused by: X: one\n\tat e\nCaused by: Y: two\n\tat f")).toBe(
    "Job aborted\nCaused by: Y: two",
  );
  expect(shortError("Job aborted due to stage failure:\n  No space left on device\n at x")).toBe(
    "Job aborted due to stage failure:\n  No space left on device",
  );
  expect(shortError('Traceback (most recent call last):\n  File "a.py", line 1\nValueError: no')).toBe(
    "ValueError: no",
  );
  expect(shortError("plain")).toBe("plain");
});

test.each([
  ["today", 0],
  ["yesterday", 1],
  ["a week ago", 7],
  ["3 days ago", 3],
])("the time %j is the begin of a day, %d days ago", (text, days) => {
  expect((Date.parse(new Date().toISOString().slice(0, 10)) - Date.parse(parseTime(text))) / 86_400_000).toBe(days);
});

test("a weekday is its last one, and dates may have dots", () => {
  expect(new Date(parseTime("Monday")).getUTCDay()).toBe(1);
  expect([parseTime("23.11.2026"), parseTime("32.11.2026"), parseTime("soon")]).toEqual([
    "2026-11-23T00:00:00.000Z",
    "",
    "",
  ]);
});

test("a tree of records is folded by what was done, level by level, and no record is lost", () => {
  const record = (node: string, parent: string, action: string, at = 1) => ({
    node_id: node,
    parent_id: parent,
    action_taken: action,
    recordedAt: at,
    storage_location: "",
  });
  const rows = Array.from({ length: 40 }, (_, index) => record(`row${index}`, "file", "PARSE", 2));
  const folds = outlineOf(
    [
      record("file", "root", "LAND"),
      ...rows,
      record("row1-ok", "row1", "CHECK", 3),
      record("row2-no", "row2", "REJECT", 3),
      record("lost", "unknown", "LOST", 9),
      record("circle", "circle", "SELF", 9),
    ],
    "root",
  );
  const text = (folds: ReturnType<typeof outlineOf>): string =>
    folds.map(({ action_taken, records, children }) => `${action_taken} ${records}(${text(children)})`).join(" ");
  expect(text(folds)).toBe("LAND 1(PARSE 40(CHECK 1() REJECT 1())) LOST 1() SELF 1()");
});

const NONE = { added: [], removed: [] };

test("a change is summed up in a few words", () => {
  const none = { ...{ nodes: NONE, edges: NONE }, columns: { ...NONE, retyped: [] } };
  const names = (...names: string[]) => names.map((name) => ({ dataset: "", name }));
  const edge = { origin: "", destination: "" };
  expect([
    summaryOf({
      ...none,
      nodes: { added: ["job:a", "dataset:b"], removed: ["job:c"] },
      edges: { added: [edge, edge], removed: [edge] },
    }),
    summaryOf({
      ...none,
      edges: { added: [edge], removed: [] },
      columns: { added: names("a"), removed: names("b", "c"), retyped: names("d", "e", "f", "g") },
    }),
    summaryOf(none),
  ]).toEqual(["+ 2 nodes, − 1 node", "+ 1 edge, + column a, − columns b, c, ~ 4 columns", "changed"]);
});

test("filters of a search, in any case and place", () => {
  expect(termsOf('orders OWNER:team:finance ns:"gold lake" 2026')).toEqual({
    words: "orders 2026",
    tag: "",
    owner: "team:finance",
    within: "gold lake",
    state: "",
  });
  expect(termsOf("state:Failing orders state:odd")).toMatchObject({ words: "orders state:odd", state: "failing" });
  expect([termsOf("tag: pii").tag, termsOf("a.tag:b").words]).toEqual(["pii", "a.tag:b"]);
});

test.each([
  ["bronze / shop / orders", ["bronze / shop", "orders"]],
  ["marts.revenue_by_day", ["marts", "revenue_by_day"]],
  ["revenue", ["", "revenue"]],
  ["trailing.", ["", "trailing."]],
  ["planes.csv", ["", "planes.csv"]],
])("the title %j ends in the part that says most", (title, parts) => expect(splitTitle(title)).toEqual(parts));

test.each([
  ["daily.load", "daily.load"],
  ["warehouse_daily.load_orders", "warehouse_daily.load_orders"],
  ["nordwind_warehouse_daily.load_orders", "…arehouse_daily.load_orders"],
  ["refresh 128:warehouse floor 4", "…128:warehouse floor 4"],
  ["nordwind.staging.load_orders_by_week", "…staging.load_orders_by_week"],
  ["a.bcdefghijklmnopqrstuvwxyz0123456789.load", "…klmnopqrstuvwxyz0123456789.load"],
])("of a title that is longer than two lines of 16 the end is kept: %s", (text, cut) =>
  expect(cutToLines(text, { lines: 2, width: 16, widthOf: ({ length }) => length })).toBe(cut),
);

test.each([
  ["2025-11-20T02:12:00Z", "02:12"],
  ["2025-11-19T23:59:00Z", "19 Nov"],
  ["2025-01-02T00:00:00Z", "2 Jan"],
  ["2024-12-31T00:00:00Z", "31 Dec 2024"],
])("since %s is said as %s", (time, said) => expect(since(time, Date.parse("2025-11-20T12:00:00Z"))).toBe(said));

test("titles that end alike differ after cutting, too", () => {
  const names = ["BKPF", "BSEG"].map((table) => `sap_${table}_contribution_document_header_data`);
  const titles = titlesOf(names.map((name) => ({ id: name, kind: "dataset", namespace: "sap", name })));
  const room = { lines: 2, width: 16, widthOf: ({ length }: string) => length };
  const cut = [...titles.values()].map(({ title, alike }) => cutToLines(title, room, alike));
  expect(cut).toEqual(["sap_BKPF…cument_header_data", "sap_BSEG…cument_header_data"]);
  expect([...titles.values()].map(({ title, alike }) => cutFront(title, 18, alike))).toEqual([
    "sap_BKPF…ader_data",
    "sap_BSEG…ader_data",
  ]);
});

test("a name is broken into lines by its measured width, after its parts", () => {
  const widthOf = (text: string) => [...text].reduce((sum, sign) => sum + (sign > "\u2e80" ? 2 : 1), 0);
  expect(breakLines("looker.refresh.ceo", { width: 10, widthOf })).toEqual(["looker.", "refresh.", "ceo"]);
  expect(breakLines("受注明細", { width: 4, widthOf })).toEqual(["受注", "明細"]);
  expect(breakLines("abc def", { width: 7, widthOf, taken: 3 })).toEqual(["abc ", "def"]);
});
