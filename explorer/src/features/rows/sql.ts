/** The SQL that lists the rows changed by a run, at the version of its commit. */

type Facets = Readonly<Record<string, unknown>>;

const at = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Facets)[name] : undefined;

/** The sequence number of a commit, in the facet of an output; null without it. */
export function sequenceOf(facets: Facets): number | null {
  const sequence = at(facets["headwater_rows"], "sequence");
  return typeof sequence === "number" ? sequence : null;
}

/** The name of a table in its catalog, or of Delta's folder: `table/sales/orders` of Glue is `sales.orders`. */
function tableOf(namespace: string, name: string, facets: Facets, isDelta: boolean): string {
  const links = at(facets["symlinks"], "identifiers");
  const table = (Array.isArray(links) ? links : []).find((link) => at(link, "type") === "TABLE");
  const named = at(table, "name");
  if (typeof named === "string") return named.replace(/^table\//, "").replaceAll("/", ".");
  return isDelta ? `delta.\`${namespace.replace(/^file$/, "")}/${name.replace(/^\//, "")}\`` : name;
}

/** Return the statement, by the facets of the output's version; null where the version of the storage is unknown. */
export function sqlOf(namespace: string, name: string, sequence: number, facets: Facets): string | null {
  const version = at(facets["version"], "datasetVersion");
  if (typeof version !== "string" || !/^\d+$/.test(version)) return null;
  // A version of Delta's is the sequence number; an Iceberg snapshot has an id of its own.
  const isDelta = version === String(sequence);
  const [id, changed] = isDelta
    ? ["_metadata.row_id", "_metadata.row_commit_version"]
    : ["_row_id", "_last_updated_sequence_number"];
  const table = tableOf(namespace, name, facets, isDelta);
  return `SELECT *, ${id}\nFROM ${table} VERSION AS OF ${version}\nWHERE ${changed} = ${sequence}`;
}
