/** The one store that outlives a tab: names that the reader pinned or looked at, and an owner; neither tokens nor data. */

import { useSyncExternalStore } from "react";

import { isOwnHost, type Kept, type Mine, NOTHING, parseMine, see, togglePin } from "../model/mine";

// Each stack has its own: several may have one host.
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

  /** True if what the reader looks at is kept: on this machine, and elsewhere where the reader said so. */
  get remembers(): boolean {
    return this.mine.remembers ?? isOwnHost(location.hostname);
  }

  togglePin = (kept: Kept) => this.keep(togglePin(this.last(), kept));
  choose = (owner: string) => this.keep({ ...this.last(), owner });

  look(kept: Kept): void {
    if (this.remembers) this.keep(see(this.last(), kept));
  }

  /** Keep what is looked at, or not; what was kept of it goes. */
  remember = (remembers: boolean) => this.keep({ ...this.last(), seen: [], remembers });

  /** Forget all names. */
  forget = () => this.keep({ ...NOTHING, remembers: this.mine.remembers });

  /** Forget all names, and what the reader said: the next reader may be another. */
  leave = () => this.keep(NOTHING);

  /** What another tab may have changed; where the browser stores nothing, what this one has. */
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

/** Return what is stored; null where the browser stores nothing. */
function stored(): Mine | null {
  try {
    return parseMine(localStorage.getItem(KEY));
  } catch {
    return null;
  }
}

export const mine = new MineStore();

export const useMine = (): Mine => useSyncExternalStore(mine.subscribe, mine.get);
