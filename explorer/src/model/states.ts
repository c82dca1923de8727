/** The order of states: what needs somebody comes first. */

const FIRST: readonly string[] = ["FAILED", "ABORTED", "RUNNING"];

export function rankOf(state: string | null | undefined): number {
  const place = FIRST.indexOf(state ?? "");
  return place < 0 ? FIRST.length : place;
}
