/** Signs that stand beside every colour, and names that break between their parts. */

import { Fragment } from "react";
import { BREAKS, storeOf } from "../model/titles";

const PATHS = {
  dataset: "M2.5 3.5h11v9h-11zM2.5 6.5h11M6.5 6.5v6",
  field: "M5.5 2.5h5v11h-5zM5.5 5.5h5",
  job: "M8 5.6a2.4 2.4 0 1 0 0 4.8 2.4 2.4 0 0 0 0-4.8zM8 1.8v2M8 12.2v2M1.8 8h2M12.2 8h2M3.6 3.6l1.4 1.4M11 11l1.4 1.4M12.4 3.6L11 5M5 11l-1.4 1.4",
  record: "M1.5 8h3.4M11.1 8h3.4M8 4.9a3.1 3.1 0 1 0 0 6.2 3.1 3.1 0 0 0 0-6.2z",
  run: "M4.5 2.8v10.4L13 8z",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.4 10.4l3.4 3.4",
  close: "M3.5 3.5l9 9M12.5 3.5l-9 9",
  lock: "M4 7.5h8v6H4zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5",
  tag: "M2.5 2.5h5.2l5.8 5.8-5.2 5.2-5.8-5.8zM5.3 5.3h.01",
  owner: "M8 2.6a2.6 2.6 0 1 0 0 5.2 2.6 2.6 0 0 0 0-5.2zM3 13.4c.5-2.6 2.5-4 5-4s4.5 1.4 5 4",
  completed: "M3 8.5l3.4 3.4L13 4.6",
  failed: "M4 4l8 8M12 4l-8 8",
  running: "M5.5 3.5v9L12 8z",
  aborted: "M4.5 4.5h7v7h-7z",
  stale: "M8 3.2a5.2 5.2 0 1 0 0 10.4A5.2 5.2 0 0 0 8 3.2zM8 5.6v2.8l2 1.2M6.5 1.5h3",
  pin: "M6 2.5h4l-.5 4.5 2.5 2.5h-8L6.5 7zM8 9.5v4.5",
  pinned: "M6 2.5h4l-.5 4.5 2.5 2.5h-8L6.5 7zM8 9.5v4.5M7 4.5h2M6.8 7h2.4",
  new: "M8 3.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9z",
} as const;

export type Sign = keyof typeof PATHS;

const aria = (label: string | undefined) => (label ? { role: "img", "aria-label": label } : { "aria-hidden": true });

export function SignOf({ of, label }: { of: Sign; label?: string }) {
  return (
    <svg className="sign" viewBox="0 0 16 16" {...aria(label)}>
      <path d={PATHS[of]} />
    </svg>
  );
}

/** A sign in the colour of a class. */
export const Tinted = ({ look, ...sign }: { look: string; of: Sign; label?: string }) => (
  <span className={look}>
    <SignOf {...sign} />
  </span>
);

/** Return the path of a thing's sign: of a dataset in a known store, the store's sign. */
export const pathOfKind = (kind: "dataset" | "job" | "field", namespace: string) =>
  (kind === "dataset" && storeOf(namespace)?.path) || PATHS[kind];

interface KindProps {
  of: "dataset" | "job" | "field";
  namespace: string;
  label?: string;
}

/** The sign of a thing, in the colour of its kind. */
export function KindOf({ of, namespace, label }: KindProps) {
  const store = of === "dataset" ? storeOf(namespace) : null;
  return (
    <span className={`kind-${of}`} title={store?.name}>
      <svg className="sign" viewBox="0 0 16 16" {...aria(label)}>
        <path d={store?.path ?? PATHS[of]} />
      </svg>
    </span>
  );
}

/** A mark in amber: stale, or another word of this kind. */
export function Stale({ children = "stale" }: { children?: React.ReactNode }) {
  return (
    <span className="state stale">
      <SignOf of="stale" />
      {children}
    </span>
  );
}

export const Masked = () => (
  <span className="state is-masked">
    <SignOf of="lock" />
    masked
  </span>
);

const OF_STATES: readonly Sign[] = ["completed", "failed", "running", "aborted"];
const signOfState = (state: string | null) => OF_STATES.find((sign) => sign === state?.toLowerCase()) ?? "new";

export function StateOf({ state, children }: { state: string | null; children?: React.ReactNode }) {
  return (
    <span className={`state state-${state ?? "none"}`}>
      <SignOf of={signOfState(state)} />
      {children ?? (state ? state.toLowerCase() : "never ran")}
    </span>
  );
}

export function Name({ text }: { text: string }) {
  return (
    <>
      {text.split(BREAKS).map((part, place) => (
        <Fragment key={place}>
          {place > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </>
  );
}
