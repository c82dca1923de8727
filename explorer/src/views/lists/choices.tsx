/** Choices that narrow a list: by its last event, owner, tag and folder. */

import { useLocation } from "wouter";
import { foldersOf, type Named } from "../../model/folders";
import { count, plural } from "../../model/format";
import { Chip, Select } from "../../parts/controls";
import { useAddress } from "../../parts/frame";
import { link } from "../../url/state";

/** The choice of how long no event has named a thing. */
export const Untouched = ({ days, change }: { days: string; change: Change }) => (
  <Select
    label="last event"
    none="updated at any time"
    value={days}
    among={["1", "7", "30", "90", ...(dayBefore(days) ? [days] : [])].map((value) => [
      value,
      `no event for ${plural(Number(value), "day")}`,
    ])}
    choose={(value) => change({ days: value })}
  />
);

interface ChoiceProps {
  name: "owner" | "tag";
  value: string;
  among: readonly string[];
  change: Change;
}

/** The choice of an owner or a tag, among those of the list. */
export const Choice = ({ name, value, among, change }: ChoiceProps) =>
  (among.length > 0 || value) && (
    <Select
      label={name}
      none={`all ${name}s`}
      value={value}
      among={[...among].sort()}
      choose={(choice) => change({ [name]: choice })}
    />
  );

/** The folders of the list's names, with their sizes, and the way back out of one. */
export function Folders({ names, folder, change }: { names: readonly Named[]; folder: string; change: Change }) {
  const folders = foldersOf(names, folder);
  if (!folder && folders.length === 0) return null;
  return (
    <div className="actions" role="group" aria-label="folders">
      {folder && (
        <Chip aria-label={`in ${folder} ✕: leave the folder`} press={() => change({ folder: "" })}>
          in {folder} ✕
        </Chip>
      )}
      {folders.map(({ path, title, count: size }) => (
        <Chip key={path} press={() => change({ folder: path })}>
          {title} <span className="muted">{count(size)}</span>
        </Chip>
      ))}
    </div>
  );
}

// Days since the last event, at least.
const NAMES = ["namespace", "state", "owner", "tag", "folder", "days"] as const;

/** What a list is narrowed to, as its address says. */
export type Filters = Record<(typeof NAMES)[number], string>;

/** The filters of a list, and a function that changes them. */
export function useFilters(view: "jobs" | "datasets") {
  const [, navigate] = useLocation();
  const filters: Filters = useAddress(...NAMES);
  const change = (changes: Partial<Filters>) => navigate(link(view, { ...filters, ...changes }), { replace: true });
  return { filters, change };
}

export type Change = (changes: Partial<Filters>) => void;

const DAY_MS = 86_400_000;

/** Return the begin of the day so many days ago, in UTC; empty for no number of days. */
export const dayBefore = (days: string) =>
  Number(days) > 0 ? new Date((Math.floor(Date.now() / DAY_MS) - Number(days)) * DAY_MS).toISOString() : "";
