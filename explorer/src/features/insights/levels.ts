/** Levels of what a job reports, with their words. */

import { count } from "../../model/format";
import type { Coverage } from "./queries";

export type Level = "columns" | "tables" | "nothing" | "parent" | "silent";

export const LEVELS: readonly [Level, string, string][] = [
  ["columns", "Columns", "report the columns of some output"],
  ["tables", "Tables only", "report datasets, and no columns"],
  ["nothing", "Nothing", "report no dataset"],
  ["parent", "Parents", "report no dataset themselves, and started others"],
  ["silent", "Silent", "sent no event for 30 days"],
];

/** Return the title of a level; none of another word. */
export const titleOfLevel = (level: string) => LEVELS.find(([name]) => name === level)?.[1];

/** Numbers of jobs and of what they write: of all, of a namespace or of a producer. */
export type Counts = Pick<Coverage, "total" | Level | "outputs" | "certainOutputs" | "incompleteJobs">;

/** Return how many of the outputs have columns, with a word for what these are. */
export function share({ outputs, certainOutputs }: Counts, word = ""): string {
  if (!outputs) return "–";
  return `${count(certainOutputs)} of ${count(outputs)}${word} (${Math.floor((100 * certainOutputs) / outputs)} %)`;
}
