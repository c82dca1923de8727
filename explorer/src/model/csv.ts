/** Tables as CSV (RFC 4180), every cell quoted, as the API's reports write them. */

// A spreadsheet computes a cell that begins with one of these, in their full-width and small forms, too.
const COMPUTED = /^[=+\-@\t\r\n＝＋－＠﹢﹣﹦﹫]/;

export function toCsv(
  header: readonly string[],
  rows: readonly (readonly (string | number | boolean | null | undefined)[])[],
): string {
  return [header, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

function cell(value: string | number | boolean | null | undefined): string {
  const text = value === null || value === undefined ? "" : String(value);
  return `"${(typeof value === "string" && COMPUTED.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
}

const RECORD = /"(?:[^"]|"")*"(?:,"(?:[^"]|"")*")*\r\n/g;
const CELL = /"((?:[^"]|"")*)"/g;

const cellsOf = (row: string) => [...row.matchAll(CELL)].map(([, text = ""]) => text.replaceAll('""', '"'));

/** Return a report's CSV without the rows whose `id` is not kept; header and row of the query stay. */
export function keepRows(csv: string, ids: ReadonlySet<string>): string {
  const [head = "", ...rows] = csv.match(RECORD) ?? [];
  const place = cellsOf(head).indexOf("id");
  const idOf = (row: string) => cellsOf(row)[place] ?? "";
  return head + rows.filter((row) => row.startsWith('"query"') || ids.has(idOf(row))).join("");
}
