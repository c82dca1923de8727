/** Jobs that need somebody: those that fail; then those that were aborted, or run. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ComponentProps } from "react";
import { brokenJobs, jobsOfStates, type ShortJob } from "../../api/list-queries";
import { Skeleton as Bones, Loaded } from "../../parts/frame";
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

type ListProps<T> = ComponentProps<typeof Loaded<T>>;

/** A list under its title; nothing where neither the list nor the broken jobs have loaded. */
export function StartCard<T>({ title, label, ...list }: ListProps<T> & { title: string; label?: string }) {
  const broken = useBroken();
  if (list.of.isLoadingError && broken.isLoadingError) return null;
  return (
    <section className="card" aria-label={label}>
      <h2>{title}</h2>
      <StartList {...list} />
    </section>
  );
}

/** As `Loaded`; a failure is drawn only once the broken jobs have loaded. */
export function StartList<T>(list: ListProps<T>) {
  const broken = useBroken();
  if (list.of.isLoadingError && !broken.data) return broken.isLoadingError ? null : <Bones rows={list.rows} />;
  return <Loaded {...list} />;
}
