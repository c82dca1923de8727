"""Rebuilding of the archive's rows in the graph table from the bucket: objects, pointers, seals, the chain's end.

    rebuilt = Rebuild(archive, digests, pointers, archive_state, publications, staged, dirty_roots, root_ids).run(
        now_s=now_s
    )

The entries of digests become rows again. Objects of open days belong to no digest: their records are staged like
expired records, and their roots marked, so the next compaction archives them once more. The end of the chain is written
last, with the seal of its day: until then a compaction refuses (`ChainLost`). A complete table stays as it is, so a
repetition changes nothing.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from headwater.aws.items import GET_KEYS_MAX, chunks
from headwater.aws.objects import hash_object
from headwater.records.archive import Archive
from headwater.records.archive_state import ArchiveState
from headwater.records.digest import Digest, Digests
from headwater.records.dirty_roots import DirtyRoots
from headwater.records.expired import Staged
from headwater.records.pointers import ArchiveObject, LastArchive, Pointers
from headwater.records.publications import Publication, Publications
from headwater.records.publisher import find_manifest
from headwater.records.root_ids import RootIds
from headwater.times import day_of, shift
from headwater_model.archive_tables import published_key
from headwater_model.errors import Conflict, Invalid
from headwater_model.ids import sha256_hex

_RECORDS_AT_ONCE = 1000
# No trace is known to have read the table: records that expire from now on are staged.
_NEVER = 0


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """The result: sealed days and objects with new rows, staged records, failed objects."""

    days: int
    objects: int
    staged: int
    failed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rebuild:
    """The stores: the bucket's, and the table's."""

    archive: Archive
    digests: Digests
    pointers: Pointers
    archive_state: ArchiveState
    publications: Publications
    staged: Staged
    dirty_roots: DirtyRoots
    root_ids: RootIds
    # False for a root whose records are left out.
    keeps: Callable[[str], bool] = lambda _: True

    def run(self, *, now_s: int) -> Rebuilt:
        """Make the rows that the table lacks; the time is seconds since 1970.

        Raises:
            Conflict: the digests are no chain: `headwater verify` says where it breaks.
            BadDigest: a digest cannot be read.
        """
        chain = list(self._chain())
        lost = self._find_lost(chain)
        # Newest first: a root's last object is its archive.
        objects = sum(self._restore_objects(digest.link.day) for digest in reversed(lost))
        staged, failed = self._stage_unsealed(chain[-1].link.day if chain else "", now_s, all_of_them=bool(lost))
        for digest in lost:
            self._restore_publication(digest, now_s)
        self._restore_seals(chain, lost)
        return Rebuilt(len(lost), objects, staged, tuple(failed))

    def _chain(self) -> Iterator[Digest]:
        before = None
        for day in self.digests.days():
            digest = self.digests.get(day)
            if digest.head.previous != before:
                raise Conflict(f"{digest.link.key} does not name the digest before it: the command `verify` says more")
            yield digest
            before = digest.link

    def _find_lost(self, chain: Sequence[Digest]) -> list[Digest]:
        """List the digests of days without a seal in the table; all digests without an end of the chain."""
        if self.archive_state.last() is None:
            return list(chain)
        days = [digest.link.day for digest in chain]
        sealed = {day for batch in chunks(days, GET_KEYS_MAX) for day in self.archive_state.seals(batch)}
        return [digest for digest in chain if digest.link.day not in sealed]

    def _restore_objects(self, day: str) -> int:
        """Make the rows of a day's objects, and the pointers of roots without a later object; count the objects."""
        number = 0
        removed = {removal.key for removal in self.digests.removed()}
        objects = (entry for entry in self.digests.objects_of(day) if entry.key not in removed)
        for batch in chunks(objects, _RECORDS_AT_ONCE):
            self.pointers.restore_objects(day, batch)
            number += len(batch)
            last = [
                max(group, key=attrgetter("version"))
                for _, group in groupby(batch, lambda trace_object: trace_object.root_sha)
            ]
            for together in chunks(last, GET_KEYS_MAX):
                self._restore_pointers(day, together)
        return number

    def _restore_pointers(self, day: str, objects: Sequence[ArchiveObject]) -> None:
        known = self.pointers.find_by_sha([trace_object.root_sha for trace_object in objects])
        for stored in objects:
            if stored.root_sha not in known or known[stored.root_sha][1].version < stored.version:
                root_id = self._root_id(stored)
                self.root_ids.add(root_id)
                self.pointers.restore(root_id, LastArchive(day, _NEVER, _NEVER, stored))

    def _root_id(self, trace_object: ArchiveObject) -> str:
        """Read the root's id from the first line of its object."""
        root_id = next((record.root_id for record in self.archive.records(trace_object.key)), "")
        if sha256_hex(root_id) != trace_object.root_sha:
            raise Conflict(f"{trace_object.key} holds no record of its root: the command `verify` says more")
        return root_id

    def _stage_unsealed(self, last: str, now_s: int, *, all_of_them: bool) -> tuple[int, list[str]]:
        """Stage the records of objects after the last sealed day; by default, only of objects without a row."""
        staged, failed = 0, list[str]()
        for key in self.digests.keys_after(last):
            if not all_of_them and self.pointers.find_object(key) is not None:
                continue
            try:
                staged += self._stage(key, now_s)
            except Invalid as error:
                failed.append(f"{key}: {error}")
        return staged, failed

    def _stage(self, key: str, now_s: int) -> int:
        """Stage the object's records and mark its root. Raises `Invalid` for a foreign object."""
        if f".{hash_object(self.archive.s3, self.archive.bucket, key)}." not in key:
            raise Invalid.because("object", key, "must be named by its SHA-256")
        records = (record for record in self.archive.records(key) if self.keeps(record.root_id))
        number, roots = 0, set[str]()
        try:
            for batch in chunks(records, _RECORDS_AT_ONCE):
                self.staged.stage(batch)
                number += len(batch)
                roots |= {record.root_id for record in batch}
        except (ValueError, KeyError, TypeError, zlib.error) as error:
            raise Invalid.because("object", key, f"must hold lines of a trace ({error})") from error
        for root_id in roots:
            # The next compaction is of yesterday, or goes back to it.
            self.dirty_roots.mark(root_id, shift(day_of(now_s), -1))
        return number

    def _restore_publication(self, digest: Digest, now_s: int) -> None:
        """Publish the day again, if its tables are there; days are published in order, without a gap."""
        day, sha256 = digest.link.day, digest.link.sha256
        manifest = find_manifest(self.archive.s3, self.archive.bucket, published_key(day))
        attempt = manifest.attempt if manifest and manifest.digest_sha256 == sha256 else None
        before = digest.head.previous
        follows = before is None or self.publications.last() == before.day
        if follows and (attempt is not None or not digest.counts.objects):
            self.publications.put(Publication(day, attempt, sha256, now_s))

    def _restore_seals(self, chain: Sequence[Digest], lost: Sequence[Digest]) -> None:
        if not lost:
            return
        end = chain[-1]
        for digest in lost:
            if digest is not end:
                self.archive_state.seal(digest.link.day, digest.head.seal)
        self.archive_state.restore_end(end.link, end.head.seal, end.head.events.to if end.head.events else "")
