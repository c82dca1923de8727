"""The proof of an archived record: its object, and the digests from the object's day to the end of the chain.

Nothing is proved here. A proof names objects for a caller to read and hash, as `headwater verify` does
(docs/verify.md). So a changed archive is no error: the proof describes the visible fault, and names the same objects.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Literal

import orjson
from botocore.exceptions import ClientError

from headwater.aws.objects import is_missing
from headwater.records.digest import DigestFile, key_of, list_digests
from headwater.records.table import expiry_of
from headwater.settings import DIGESTS_PREFIX
from headwater.times import hive_prefix

if TYPE_CHECKING:
    from headwater.records.archive_state import ArchiveState, DigestRef
    from headwater.records.pointers import ArchiveObject
    from headwater.records.root_records import RecordSources

DIGESTS_MAX = 366
_CHECK_EVERY = 4096

State = Literal["live", "expired", "archived", "sealed"]


@dataclass(frozen=True, slots=True)
class Proof:
    """The state of a record, and its proof, of objects and digests.

    `live`: it is in the table alone. `expired`: it left the table, and the next compaction archives it. `archived`: the
    object, of an open day, holds it. `sealed`: `digests` lead from the object's day to `end`, the end of the chain;
    `truncated` if there are more. `listed`: the object's SHA-256 and size come from its day's digest, else from the
    commit. `fault` describes a damage, None without one.
    """

    state: State
    object: ArchiveObject | None = None
    listed: bool = False
    digests: Sequence[DigestFile] = ()
    end: DigestRef | None = None
    truncated: bool = False
    fault: str | None = None


class _Unreadable(Exception):
    """An object of the archive that is missing, or in a foreign form."""


@dataclass(frozen=True, slots=True)
class Proofs:
    """The proofs of archived records; each reads up to two objects of its root, and a digest."""

    sources: RecordSources
    archive_state: ArchiveState

    def find(
        self, root_id: str, node_id: str, *, after: str | None, now_s: int, check: Callable[[], None]
    ) -> Proof | None:
        """Find the proof of a record, or None if the root has no such record.

        With `after`, a day, the digests begin after it. `check` is called now and then and may raise.
        """
        pointer = self.sources.pointers.find(root_id)
        end = self.archive_state.last()
        proof = self._find_archived(pointer.object, node_id, end, check) if pointer else None
        if proof is None:
            return self._waiting(root_id, node_id, now_s, check)
        if proof.object is None or proof.state != "sealed" or end is None:
            return proof
        return self._with_digests(proof, proof.object, end, after, check)

    def _find_archived(
        self, newest: ArchiveObject, node_id: str, end: DigestRef | None, check: Callable[[], None]
    ) -> Proof | None:
        """Find the newest sealed object with the record, else the newest object; None if the newest lacks it."""
        try:
            if not self._holds(newest, node_id, check):
                return None
            sealed = self.sources.pointers.find_until(newest, end.day) if end else None
            if sealed is not None and (sealed == newest or self._holds(sealed, node_id, check)):
                return Proof("sealed", sealed)
        except _Unreadable as error:
            is_sealed = end is not None and newest.day <= end.day
            return Proof("sealed" if is_sealed else "archived", newest, fault=str(error))
        return Proof("archived", newest)

    def _holds(self, trace_object: ArchiveObject, node_id: str, check: Callable[[], None]) -> bool:
        """True if a line of the object has the record. Raises `_Unreadable`."""
        needle, sha256 = b'"node_id":' + orjson.dumps(node_id), hashlib.sha256()
        for form in self._forms(trace_object.key, needle, check, seen=sha256.update):
            if _has_step(form, node_id):
                return True
        if sha256.hexdigest() != trace_object.sha256:
            raise _Unreadable(
                f"{trace_object.key}: sha256 is {sha256.hexdigest()}, {trace_object.sha256} was committed"
            )
        return False

    def _with_digests(
        self, proof: Proof, trace_object: ArchiveObject, end: DigestRef, after: str | None, check: Callable[[], None]
    ) -> Proof:
        """Add the digests, and the object as its day's digest lists it."""
        fault, listed = proof.fault, None
        try:
            listed = self._find_listed(trace_object, check)
            if listed is None:
                fault = fault or f"the digest of {trace_object.day} does not list {trace_object.key}"
        except _Unreadable as error:
            fault = fault or str(error)
        archive, day = self.sources.archive, trace_object.day
        start = key_of(after) if after and after >= day else f"{DIGESTS_PREFIX}{hive_prefix(day)}"
        listed_files = takewhile(lambda file: file.day <= end.day, list_digests(archive.s3, archive.bucket, start))
        files = list(islice(listed_files, DIGESTS_MAX + 1))
        return Proof(
            "sealed",
            listed or trace_object,
            listed is not None,
            files[:DIGESTS_MAX],
            end,
            truncated=len(files) > DIGESTS_MAX,
            fault=fault,
        )

    def _find_listed(self, trace_object: ArchiveObject, check: Callable[[], None]) -> ArchiveObject | None:
        """Find the object in its day's digest. Raises `_Unreadable`."""
        for form in self._forms(key_of(trace_object.day), orjson.dumps(trace_object.key), check):
            match form:
                case {"key": trace_object.key, "sha256": str(sha256), "size_bytes": int(size_bytes)}:
                    return replace(trace_object, sha256=sha256, size_bytes=size_bytes)
        return None

    def _forms(
        self, key: str, needle: bytes, check: Callable[[], None], seen: Callable[[bytes], object] | None = None
    ) -> Iterator[object]:
        """Yield the parsed lines with the bytes `needle`; `seen` gets the stored bytes. Raises `_Unreadable`."""
        try:
            for number, line in enumerate(self.sources.archive.lines(key, seen)):
                if number % _CHECK_EVERY == 0:
                    check()
                if needle in line:
                    yield orjson.loads(line)
        except (zlib.error, orjson.JSONDecodeError) as error:
            raise _Unreadable(f"{key} cannot be read: {error}") from error
        except ClientError as error:
            if not is_missing(error):
                raise
            raise _Unreadable(f"{key} is not there") from error

    def _waiting(self, root_id: str, node_id: str, now_s: int, check: Callable[[], None]) -> Proof | None:
        """Find the state of a record outside the archive, or None for an unknown record."""
        item = self.sources.table.find(root_id, node_id)
        if item is not None:
            return Proof("live" if expiry_of(item) > now_s else "expired")
        for number, (_, record) in enumerate(self.sources.staged.read(root_id)):
            if number % _CHECK_EVERY == 0:
                check()
            if record.node_id == node_id:
                return Proof("expired")
        return None


def _has_step(form: object, node_id: str) -> bool:
    """True if a trace line has the record; metadata may have a key of the same name.

    The last step is the compaction's.
    """
    match form:
        case {"lineage": [*steps, _]}:
            return any(isinstance(step, dict) and step.get("node_id") == node_id for step in steps)
    return False
