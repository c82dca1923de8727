/** Cells that both lists have. */

/** The names of owners, in a line. */
export const owned = (owners: readonly { name: string }[]) => owners.map(({ name }) => name).join(", ");

export const muted = <span className="muted">–</span>;
