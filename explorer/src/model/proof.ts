/** The proof of an archived record, computed from the bytes of the archive: docs/verify.md, "In a page". */

import type { components } from "../api/schema";
import { recordPath, type Step } from "./outline";

type Schemas = components["schemas"];
type ObjectRef = Omit<Schemas["ProvenObject"], "records" | "lines" | "listed">;
type DigestRef = Omit<Schemas["DigestFile"], "size_bytes">;

/** The API's claims about a sealed record; the bytes confirm or refute them. */
export interface Claims {
  root_id: string;
  node_id: string;
  object: ObjectRef;
  digests: readonly DigestRef[];
  end: Schemas["ChainEnd"] | null;
}

export interface Check {
  title: string;
  holds: boolean;
  about: string;
  /** A claim of the proof, and the result of its bytes. */
  expected: string;
  computed: string;
}

export interface Proven {
  checks: readonly Check[];
  holds: boolean;
  /** The record's path, as the bytes of the object have it. */
  path: readonly Step[];
  /** SHA-256 of each digest's bytes, by day. */
  hashes: ReadonlyMap<string, string>;
}

type Load = (location: string) => Promise<Uint8Array<ArrayBuffer>>;
type Line = Record<string, unknown>;

interface Bytes {
  sha256: string;
  size: number;
  lines: readonly Line[] | null;
  /** Why there are no bytes. */
  fault: string | null;
}

export async function sha256Of(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return [...new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}

async function unpack(bytes: Uint8Array<ArrayBuffer>): Promise<readonly Line[] | null> {
  try {
    const text = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
    return text
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line);
  } catch {
    // Changed bytes may be no gzip, or no JSON.
    return null;
  }
}

async function read(location: string, load: Load): Promise<Bytes> {
  try {
    const bytes = await load(location);
    return { sha256: await sha256Of(bytes), size: bytes.length, lines: await unpack(bytes), fault: null };
  } catch (error) {
    return { sha256: "", size: 0, lines: null, fault: error instanceof Error ? error.message : String(error) };
  }
}

const AT_ONCE = 6;

/** Compute a proof; `progress` gets the number of digests read so far. */
export async function prove(
  claims: Claims,
  load: Load,
  progress: (done: number) => void = () => undefined,
): Promise<Proven> {
  const object = await read(claims.object.location, load);
  const path = object.lines ? recordPath(object.lines, claims.root_id, claims.node_id) : null;
  const checks = [checkObject(claims.object, object), checkRecord(claims, object, path)];
  const digests: Bytes[] = [];
  for (let first = 0; first < claims.digests.length; first += AT_ONCE) {
    digests.push(
      ...(await Promise.all(claims.digests.slice(first, first + AT_ONCE).map(({ location }) => read(location, load)))),
    );
    progress(digests.length);
  }
  if (claims.end)
    checks.push(
      checkListed(claims.object, object, digests[0]),
      checkChain(claims, digests),
      checkEnd(claims, digests.at(-1)),
    );
  return {
    checks,
    holds: checks.every(({ holds }) => holds),
    path: path ?? [],
    hashes: new Map(claims.digests.map(({ day }, index) => [day, digests[index]?.sha256 ?? ""])),
  };
}

const sized = (sha256: string, size: unknown) => `${sha256}, ${String(size)} bytes`;

function checkObject({ sha256, size_bytes }: ObjectRef, object: Bytes): Check {
  return {
    title: "The object is as it was archived",
    holds: object.sha256 === sha256 && object.size === size_bytes,
    about: "SHA-256 and length of its bytes",
    expected: sized(sha256, size_bytes),
    computed: object.fault ?? sized(object.sha256, object.size),
  };
}

function checkRecord({ root_id, node_id }: Claims, object: Bytes, path: readonly Step[] | null): Check {
  return {
    title: "The record is in it",
    holds: path !== null,
    about: "a line of the object has this root and this node",
    expected: `${node_id} of ${root_id}`,
    computed: path
      ? `a path of ${path.length} ${path.length === 1 ? "step" : "steps"}`
      : (object.fault ?? (object.lines ? "no such line" : "it cannot be unpacked")),
  };
}

function checkListed({ key }: ObjectRef, object: Bytes, digest: Bytes | undefined): Check {
  const listed = digest?.lines?.slice(1).find((line) => line["key"] === key);
  return {
    title: "The digest of its day lists it",
    holds: listed !== undefined && listed["sha256"] === object.sha256 && listed["size_bytes"] === object.size,
    about: "with the SHA-256 and length of its bytes",
    expected: object.fault ?? sized(object.sha256, object.size),
    computed: listed
      ? sized(String(listed["sha256"]), listed["size_bytes"])
      : (digest?.fault ?? "no digest of the day lists it"),
  };
}

/** Each digest names the digest before; the last digest is named by none. */
function checkChain({ digests }: Claims, read: readonly Bytes[]): Check {
  const broken = digests
    .slice(0, -1)
    .find((digest, index) => !names(read[index + 1]?.lines?.[0]?.["previous"], digest, read[index]!.sha256));
  const links = Math.max(digests.length - 1, 0);
  return {
    title: "Each digest names the one before it",
    holds: broken === undefined,
    about: "by day, key and SHA-256 of its bytes",
    expected: `${links} ${links === 1 ? "link" : "links"}`,
    computed: broken
      ? `the digest of ${broken.day} is not the one that the next day names`
      : links
        ? "all of them hold"
        : "its day is the last that is sealed",
  };
}

function checkEnd({ digests, end }: Claims, last: Bytes | undefined): Check {
  const digest = digests.at(-1);
  return {
    title: "The last digest is the end of the chain",
    holds: digest !== undefined && last !== undefined && names(end, digest, last.sha256),
    about: "which the service keeps apart from the archive",
    expected: end?.sha256 ?? "",
    computed: last?.fault ?? last?.sha256 ?? "no digest",
  };
}

function names(claim: unknown, { day, key }: DigestRef, sha256: string): boolean {
  if (typeof claim !== "object" || claim === null) return false;
  const { day: named, key: at, sha256: hash } = claim as Line;
  return named === day && at === key && hash === sha256 && sha256 !== "";
}

/** Return the proof as JSON, with the time, the page, and the state of the record's day: sealed, or not yet. */
export function proofFile(
  claims: Claims,
  proven: Proven,
  setting: { computedAt: string; page: string; state: string },
) {
  const { day, key, sha256, size_bytes } = claims.object;
  return JSON.stringify(
    {
      record: { root_id: claims.root_id, node_id: claims.node_id },
      ...setting,
      holds: proven.holds,
      checks: proven.checks,
      object: { day, key, sha256, size_bytes },
      digests: claims.digests.map(({ day, key }) => ({ day, key, sha256: proven.hashes.get(day) ?? null })),
      end: claims.end,
      path: proven.path,
    },
    null,
    2,
  );
}

export const proofFileName = ({ root_id, node_id }: Pick<Claims, "root_id" | "node_id">) =>
  `proof-${`${root_id}-${node_id}`.replace(/[^\w.-]+/g, "_").slice(0, 80)}.json`;
