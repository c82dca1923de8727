import { expect, test } from "vitest";

import { type Group, nestGroups } from "./outline";
import { type Claims, prove, sha256Of } from "./proof";

type Bytes = Uint8Array<ArrayBuffer>;

async function packed(...lines: object[]): Promise<Bytes> {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  return new Uint8Array(
    await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer(),
  );
}

const aStep = (node_id: string, parent_id: string) => ({
  node_id,
  parent_id,
  action_taken: "CHECK",
  recordedAt: 1,
  storage_location: "s3://lake",
});
const ARCHIVED = {
  root_id: "root",
  record_id: "east",
  lineage: [aStep("read", "root"), aStep("east", "read"), aStep("compaction", "east")],
};

/** An object of the first of three sealed days, and what the API says of it. */
async function anArchive(): Promise<{ claims: Claims; bytes: Map<string, Bytes> }> {
  const object = await packed(ARCHIVED);
  const key = "traces/1",
    sealed = { key, sha256: await sha256Of(object), size_bytes: object.length };
  const bytes = new Map([["object", object]]);
  let end = null as Claims["end"];
  const days = ["2025-11-20", "2025-11-21", "2025-11-22"];
  for (const day of days) {
    const digest = await packed({ day, previous: end }, ...(day === days[0] ? [sealed] : []), { counts: {} });
    bytes.set(day, digest);
    end = { day, key: `digests/${day}`, sha256: await sha256Of(digest) };
  }
  return {
    claims: {
      root_id: "root",
      node_id: "east",
      object: { day: days[0]!, ...sealed, location: "object" },
      digests: days.map((day) => ({ day, key: `digests/${day}`, location: day })),
      end,
    },
    bytes,
  };
}

const computed = ({ claims, bytes }: Awaited<ReturnType<typeof anArchive>>) =>
  prove(claims, (location) =>
    bytes.has(location) ? Promise.resolve(bytes.get(location)!) : Promise.reject(new Error("it is gone")),
  );

test("a record is proved by the bytes of its object and of the digests to the end of the chain", async () => {
  const { checks, holds, path, hashes } = await computed(await anArchive());
  expect([holds, checks.map((check) => check.holds)]).toEqual([true, [true, true, true, true, true]]);
  expect(path.map(({ node_id }) => node_id)).toEqual(["read", "east"]);
  expect(hashes.size).toBe(3);
});

const OBJECT = 0,
  RECORD = 1,
  LISTED = 2,
  CHAIN = 3,
  END = 4;

test.each([
  ["object", [OBJECT, RECORD, LISTED]],
  ["2025-11-20", [LISTED, CHAIN]],
  ["2025-11-21", [CHAIN]],
  ["2025-11-22", [CHAIN, END]],
])("one changed byte of %s makes the proof fail", async (name, failing) => {
  const archive = await anArchive(),
    bytes = archive.bytes.get(name)!.slice();
  const middle = Math.floor(bytes.length / 2);
  bytes[middle] = bytes[middle]! ^ 255;
  archive.bytes.set(name, bytes);
  const { checks, holds } = await computed(archive);
  expect(holds).toBe(false);
  expect(checks.flatMap((check, index) => (check.holds ? [] : [index]))).toEqual(failing);
});

test("what is gone fails, and says so", async () => {
  const archive = await anArchive();
  archive.bytes.delete("object");
  expect((await computed(archive)).checks[OBJECT]).toMatchObject({ holds: false, computed: "it is gone" });
});

test("the compaction's own step is no record, and neither is one of another root", async () => {
  const archive = await anArchive();
  for (const change of [{ node_id: "compaction" }, { root_id: "other" }]) {
    const { checks } = await computed({ ...archive, claims: { ...archive.claims, ...change } });
    expect(checks[RECORD]!.holds).toBe(false);
  }
});

test("before its day is sealed only the object and the record are checked", async () => {
  const { claims, bytes } = await anArchive();
  const { checks } = await computed({ claims: { ...claims, digests: [], end: null }, bytes });
  expect(checks.map(({ holds }) => holds)).toEqual([true, true]);
});

test("groups are nested below their parents", () => {
  const of = { records: 1, leaves: 0, firstRecordedAt: 1, lastRecordedAt: 2, complete: true, examples: [] };
  const aGroup = (id: number, parent: number | null): Group => ({ ...of, id, parent, action_taken: `a${id}` });
  const folds = nestGroups([aGroup(0, null), aGroup(1, 0), aGroup(2, 0), aGroup(3, 1), aGroup(5, 4)]);
  expect(
    folds.map(({ action_taken: action, children }) => [
      action,
      children.map((child) => `${child.action_taken} ${child.children.length}`),
    ]),
  ).toEqual([
    ["a0", ["a1 1", "a2 0"]],
    ["a5", []],
  ]);
});
