/** The only store beyond a tab: pinned and seen names, and an owner; no tokens, no data. */

import { useSyncExternalStore } from "react";

import { isOwnHost, type Kept, type Mine, NOTHING, parseMine, see, togglePin } from "../model/mine";

// Each stack has its own store: several may have the same host.
const KEY = `headwater.mine:${new URL("..", document.baseURI).pathname}`;

class MineStore {
  private mine = stored() ?? NOTHING;
  private readonly listeners = new Set<() => void>();

  constructor() {
    window.addEventListener("storage", ({ key }) => {
      if (key === KEY || key === null) this.show(stored() ?? NOTHING);
    });
  }

  get = () => this.mine;
  subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** True if seen names are kept: on this machine always, elsewhere with the reader's consent. */
  get remembers(): boolean {
    return this.mine.remembers ?? isOwnHost(location.hostname);
  }

  togglePin = (kept: Kept) => this.keep(togglePin(this.last(), kept));
  choose = (owner: string) => this.keep({ ...this.last(), owner });

  look(kept: Kept): void {
    if (this.remembers) this.keep(see(this.last(), kept));
  }

  /** Keep seen names, or stop and delete them. */
  remember = (remembers: boolean) => this.keep({ ...this.last(), seen: [], remembers });

  /** Forget all names. */
  forget = () => this.keep({ ...NOTHING, remembers: this.mine.remembers });

  /** Forget all names and choices: the next reader may be somebody else. */
  leave = () => this.keep(NOTHING);

  /** The store as other tabs left it; without storage, this tab's own. */
  private last = () => stored() ?? this.mine;

  private keep(mine: Mine): void {
    try {
      const isEmpty = !mine.pinned.length && !mine.seen.length && !mine.owner && mine.remembers === null;
      if (isEmpty) localStorage.removeItem(KEY);
      else localStorage.setItem(KEY, JSON.stringify(mine));
    } catch {
      // The tab has it.
    }
    this.show(mine);
  }

  private show(mine: Mine): void {
    this.mine = mine;
    for (const listener of this.listeners) listener();
  }
}

/** Return the stored text; null where the browser stores nothing. */
function stored(): Mine | null {
  try {
    return parseMine(localStorage.getItem(KEY));
  } catch {
    return null;
  }
}

export const mine = new MineStore();

export const useMine = (): Mine => useSyncExternalStore(mine.subscribe, mine.get);
