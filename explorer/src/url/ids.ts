/** Node ids of the API: `dataset:<namespace>:<name>`, `job:...`, `datasetField:<namespace>:<dataset>:<field>`. */

export type Kind = "dataset" | "job" | "field";

export interface NodeName {
  kind: Kind;
  namespace: string;
  name: string;
  field?: string;
}

const PREFIXES: Record<string, Kind> = { dataset: "dataset", job: "job", datasetField: "field" };
// A namespace may hold colons, a name seldom does; an id with more is not cut at each of them.
const CUTS_MAX = 4;

export function kindOf(id: string): Kind | null {
  return PREFIXES[id.slice(0, id.indexOf(":"))] ?? null;
}

/** Return the id of a node without its version: `#` and a UUID at its end. */
export const unversioned = (id: string): string => id.replace(/#[0-9a-f-]{36}$/, "");

// Names of nodes by their ids, as responses have them.
const known = new Map<string, { namespace: string; name: string }>();

/** Remember how the id of a dataset or a job is cut, once a response has both names. */
export function learnName(id: string, { namespace, name }: { namespace: string; name: string }): void {
  if (name.includes(":")) known.set(id, { namespace, name });
}

/** Return the cuts of an id into namespace and name: the known cut, else the likeliest first. */
export function cutsOf(id: string): NodeName[] {
  const kind = kindOf(id);
  if (!kind) return [];
  let rest = unversioned(id.slice(id.indexOf(":") + 1));
  let field: string | undefined;
  if (kind === "field") {
    const at = rest.lastIndexOf(":");
    field = rest.slice(at + 1);
    rest = rest.slice(0, at);
  }
  const shared = field === undefined ? { kind } : { kind, field };
  const learned = known.get(`${kind === "job" ? "job" : "dataset"}:${rest}`);
  if (learned) return [{ ...shared, ...learned }];
  const cuts: NodeName[] = [];
  for (let at = rest.lastIndexOf(":"); at > 0 && cuts.length < CUTS_MAX; at = rest.lastIndexOf(":", at - 1))
    cuts.push({ ...shared, namespace: rest.slice(0, at), name: rest.slice(at + 1) });
  return cuts;
}

/** True if an id may be cut in several ways: neither the slashes of a URL nor a port begin a name. */
export const isAmbiguous = (id: string): boolean =>
  cutsOf(id)
    .slice(1)
    .some(({ namespace, name }) => !name.startsWith("//") && !(namespace.includes("://") && /^\d+:/.test(name)));

/** The title's name, before the API has cut the id. */
export function nameOf(id: string): NodeName {
  return cutsOf(id)[0] ?? { kind: kindOf(id) ?? "dataset", namespace: "", name: id };
}

export const datasetId = (of: { namespace: string; name: string }) => `dataset:${of.namespace}:${of.name}`;
export const jobId = (of: { namespace: string; name: string }) => `job:${of.namespace}:${of.name}`;
export const fieldId = (of: { namespace: string; name: string }, field: string) =>
  `datasetField:${of.namespace}:${of.name}:${field}`;

/** The dataset of a column; any other id stays. */
export function datasetOf(id: string): string {
  return kindOf(id) === "field" ? `dataset:${id.slice("datasetField:".length, id.lastIndexOf(":"))}` : id;
}

/** A field's path as CDAP's routes take it: slashes between names, a backslash before a slash within one. */
export function slashed(field: string): string {
  const names = field.match(/`(?:[^`]|``)*`|[^.`]+/g) ?? [field];
  return names
    .map((name) =>
      (name.startsWith("`") ? name.slice(1, -1).replaceAll("``", "`") : name)
        .replaceAll("\\", "\\\\")
        .replaceAll("/", "\\/"),
    )
    .join("/");
}
