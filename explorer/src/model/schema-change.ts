/** What changed from one schema to the next. */

export interface FieldChange {
  change: "added" | "removed" | "changed";
  name: string;
  /** Types before and after of a column that has another one. */
  types?: readonly [string, string];
}

interface Typed {
  name: string;
  type: string | null;
}

/** Return the columns that were added, removed or retyped, in this order. */
export function fieldChanges(before: readonly Typed[], now: readonly Typed[]): FieldChange[] {
  const was = new Map(before.map(({ name, type }) => [name, type])),
    is = new Map(now.map(({ name, type }) => [name, type]));
  return [
    ...[...is.keys()].filter((name) => !was.has(name)).map((name) => ({ change: "added" as const, name })),
    ...[...was.keys()].filter((name) => !is.has(name)).map((name) => ({ change: "removed" as const, name })),
    ...[...is]
      .filter(([name, type]) => was.has(name) && was.get(name) !== type)
      .map(([name, type]) => ({
        change: "changed" as const,
        name,
        types: [was.get(name) ?? "?", type ?? "?"] as const,
      })),
  ];
}

const SIGNS = { added: "+", removed: "−", changed: "~" } as const;

/** Return a change as a picture and a table write it: `~ amount: int → decimal(12,2)`. */
export const writeChange = ({ change, name, types }: FieldChange): string =>
  `${SIGNS[change]} ${name}${types ? `: ${types.join(" → ")}` : ""}`;
