/** A computed proof as a file to keep: what was read, what was computed from it, and when; no signed link is in it. */

import type { Claims, Proven } from "./proof";

export interface Setting {
  /** When it was computed, and the page that did so. */
  computedAt: string;
  page: string;
  /** The state of the record's day: sealed, or archived and not sealed yet. */
  state: string;
}

export function proofFile(claims: Claims, proven: Proven, { computedAt, page, state }: Setting): string {
  const { day, key, sha256, size_bytes } = claims.object;
  return JSON.stringify(
    {
      record: { root_id: claims.root_id, node_id: claims.node_id },
      computedAt,
      page,
      state,
      holds: proven.holds,
      checks: proven.checks.map(({ title, holds, about, expected, computed }) => ({
        title,
        holds,
        about,
        expected,
        computed,
      })),
      object: { day, key, sha256, size_bytes },
      digests: claims.digests.map((digest) => ({
        day: digest.day,
        key: digest.key,
        sha256: proven.hashes.get(digest.day) ?? null,
      })),
      end: claims.end,
      path: proven.path,
    },
    null,
    2,
  );
}

export const proofFileName = ({ root_id, node_id }: Pick<Claims, "root_id" | "node_id">) =>
  `proof-${`${root_id}-${node_id}`.replace(/[^\w.-]+/g, "_").slice(0, 80)}.json`;
