/** A sign-in under way: the tab keeps it while the reader is at the issuer. It holds no token. */

export interface Settings {
  issuer: string;
  client: string;
  scope: string;
}

/** The secrets of a single sign-in, and the view to come back to. */
export interface Pending {
  settings: Settings;
  verifier: string;
  state: string;
  nonce: string;
  view: string;
}

const PENDING = "headwater.sign-in";
const KNOWN = "headwater.signed-in";

export const keepPending = (pending: Pending) => sessionStorage.setItem(PENDING, JSON.stringify(pending));

/** The sign-in that an address answers, taken away at once: a code is used once. */
export function takePending(search: string): Pending | null {
  const kept = sessionStorage.getItem(PENDING);
  const given = new URLSearchParams(search);
  if (!kept || !given.has("state") || !(given.has("code") || given.has("error"))) return null;
  sessionStorage.removeItem(PENDING);
  return JSON.parse(kept) as Pending;
}

/** True if the reader of this tab is signed in at the issuer. */
export const isKnown = () => sessionStorage.getItem(KNOWN) !== null;

export function setKnown(known: boolean): void {
  if (known) sessionStorage.setItem(KNOWN, "yes");
  else sessionStorage.removeItem(KNOWN);
}
