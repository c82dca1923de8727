/** Names kept in the browser for its reader: pins, the last nodes seen, and the owner on show. */

import { kindOf, nameOf, unversioned } from "../url/ids";

export const PINNED_MAX = 50,
  SEEN_MAX = 20;
const CHARS_MAX = 2_000;

/** A dataset, a job or a column, as the API named it when it was shown. */
export interface Kept {
  id: string;
  namespace: string;
  name: string;
}

export interface Mine {
  /** The latest first. */
  pinned: readonly Kept[];
  seen: readonly Kept[];
  owner: string;
  /** Whether `seen` grows; null where the reader has not said. */
  remembers: boolean | null;
}

export const NOTHING: Mine = { pinned: [], seen: [], owner: "", remembers: null };

/** True of an address of this machine: a page there is its user's. Elsewhere a browser may be shared. */
export const isOwnHost = (hostname: string) => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);

/** Return the kept form of a node; of a version, its dataset or job. */
export function keptOf(node: string, names?: { namespace: string; name: string }): Kept {
  const id = unversioned(node);
  const guessed = nameOf(id);
  const { namespace, name } = names ?? guessed;
  return { id, namespace, name: guessed.field === undefined ? name : `${guessed.name}.${guessed.field}` };
}

const without = (list: readonly Kept[], id: string) => list.filter((kept) => kept.id !== id);
const first = (kept: Kept, list: readonly Kept[], most: number) => [kept, ...without(list, kept.id)].slice(0, most);

/** Pin a node, or unpin a pinned node. */
export const togglePin = (mine: Mine, kept: Kept): Mine => ({
  ...mine,
  pinned: isPinned(mine, kept.id) ? without(mine.pinned, kept.id) : first(kept, mine.pinned, PINNED_MAX),
});

export const isPinned = ({ pinned }: Mine, id: string) => pinned.some((kept) => kept.id === id);

export const see = (mine: Mine, kept: Kept): Mine => ({ ...mine, seen: first(kept, mine.seen, SEEN_MAX) });

/** Read the stored names, at most as many as are kept. */
export function parseMine(text: string | null): Mine {
  let stored: Partial<Record<keyof Mine, unknown>>;
  try {
    stored = (JSON.parse(text ?? "{}") ?? {}) as typeof stored;
  } catch {
    return NOTHING;
  }
  return {
    pinned: listOf(stored.pinned).slice(0, PINNED_MAX),
    seen: listOf(stored.seen).slice(0, SEEN_MAX),
    owner: isText(stored.owner) ? stored.owner : "",
    remembers: typeof stored.remembers === "boolean" ? stored.remembers : null,
  };
}

const isText = (value: unknown): value is string => typeof value === "string" && value.length <= CHARS_MAX;

function listOf(value: unknown): Kept[] {
  if (!Array.isArray(value)) return [];
  return (value as Partial<Record<keyof Kept, unknown> | null>[]).flatMap((entry) => {
    const { id, namespace, name } = entry ?? {};
    return isText(id) && kindOf(id) && isText(namespace) && isText(name) ? [{ id, namespace, name }] : [];
  });
}
