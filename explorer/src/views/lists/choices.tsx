/** Choices that narrow a list: by its last event, owner, tag and folder. */

import { foldersOf, type Named } from "../../model/folders";
import { count, plural } from "../../model/format";
import { type Change, dayBefore } from "./filters";

/** The choice of how long no event has named a thing. */
export const Untouched = ({ days, change }: { days: string; change: Change }) => (
  <select
    className="field"
    aria-label="last event"
    value={days}
    onChange={(event) => change({ days: event.target.value })}
  >
    <option value="">updated at any time</option>
    {[...new Set(["1", "7", "30", "90", ...(dayBefore(days) ? [days] : [])])].map((value) => (
      <option key={value} value={value}>
        no event for {plural(Number(value), "day")}
      </option>
    ))}
  </select>
);

/** The choice of an owner or a tag, among those of the list. */
export function Choice({
  name,
  none,
  value,
  among,
  change,
}: {
  name: "owner" | "tag";
  none: string;
  value: string;
  among: readonly string[];
  change: Change;
}) {
  const choices = [...new Set([...among, ...(value ? [value] : [])])].sort();
  if (choices.length === 0) return null;
  return (
    <select
      className="field"
      aria-label={name}
      value={value}
      onChange={(event) => change({ [name]: event.target.value })}
    >
      <option value="">{none}</option>
      {choices.map((choice) => (
        <option key={choice}>{choice}</option>
      ))}
    </select>
  );
}

/** The folders of the list's names, with their sizes, and the way back out of one. */
export function Folders({ names, folder, change }: { names: readonly Named[]; folder: string; change: Change }) {
  const folders = foldersOf(names, folder);
  if (!folder && folders.length === 0) return null;
  return (
    <div className="actions" role="group" aria-label="folders">
      {folder && (
        <button className="chip" aria-label={`in ${folder} ✕: leave the folder`} onClick={() => change({ folder: "" })}>
          in {folder} ✕
        </button>
      )}
      {folders.map(({ path, title, count: size }) => (
        <button key={path} className="chip" onClick={() => change({ folder: path })}>
          {title} <span className="muted">{count(size)}</span>
        </button>
      ))}
    </div>
  );
}
