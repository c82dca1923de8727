/** Jobs that need somebody: those that fail; then those that were aborted, or run. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";

import { brokenJobs, jobsOfStates, type ShortJob } from "../../api/list-queries";
import { useMine } from "../../parts/mine";

const BROKEN_MAX = 12,
  OTHERS_MAX = 100;
const OTHERS = ["ABORTED", "RUNNING"] as const;

export const namesOf = (job: { owners: readonly { name: string }[] }) => job.owners.map(({ name }) => name);

const brokenOf = (owner: string) => brokenJobs(owner, BROKEN_MAX);

/** The jobs that fail, of the chosen owner or of all. */
export const useBroken = () => useQuery({ ...brokenOf(useMine().owner), placeholderData: keepPreviousData });

/** The jobs that fail, whoever has them. */
export const useAllBroken = () => useQuery(brokenOf(""));

/** Jobs whose last run was aborted, then those that run. */
export const useOthers = () => useQuery(jobsOfStates(OTHERS, OTHERS_MAX));

/** The jobs of the lists; a stream that runs does as it should. */
export const jobsIn = (work: readonly { jobs: readonly ShortJob[] }[] | undefined) =>
  (work ?? []).flatMap(({ jobs }) =>
    jobs.filter(({ type, latestRun }) => type !== "STREAM" || latestRun?.state !== "RUNNING"),
  );
