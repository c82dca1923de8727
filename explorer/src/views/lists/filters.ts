/** Filters of a list, as its address says them. */

import { useLocation, useSearch } from "wouter";

import { link } from "../../url/state";

/** What a list is narrowed to, as its address says. */
export interface Filters {
  namespace: string;
  state: string;
  owner: string;
  tag: string;
  folder: string;
  /** Days since the last event, at least. */
  days: string;
}

const NAMES = ["namespace", "state", "owner", "tag", "folder", "days"] as const;

/** The filters of a list, and a function that changes them. */
export function useFilters(view: "jobs" | "datasets") {
  const query = new URLSearchParams(useSearch());
  const [, navigate] = useLocation();
  const filters = Object.fromEntries(NAMES.map((name) => [name, query.get(name) ?? ""])) as unknown as Filters;
  const change = (changes: Partial<Filters>) => navigate(link(view, { ...filters, ...changes }), { replace: true });
  return { filters, change };
}

export type Change = (changes: Partial<Filters>) => void;

const DAY_MS = 86_400_000;

/** Return the begin of the day so many days ago, in UTC; empty for no number of days. */
export const dayBefore = (days: string) =>
  Number(days) > 0 ? new Date((Math.floor(Date.now() / DAY_MS) - Number(days)) * DAY_MS).toISOString() : "";
