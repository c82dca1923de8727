"""The check of a digest, read to its end: its hash, and its form as the seal writes it; not the objects.

The content is not trusted: lines are bounded, and the type of every value is checked before its use.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, astuple, dataclass, replace

from headwater.records.archive import NotOneStream, inflate, observe, prefix_of
from headwater.records.archive_state import DigestRef
from headwater.records.digest import BadDigest, Counts, DigestLines, Head, key_of
from headwater.records.event_objects import ArrivalDays, EventObject, event_prefix_of, sha256_in_name
from headwater.records.pointers import ArchiveObject
from headwater.records.removals import Removal
from headwater.records.verify.stores import Store
from headwater.times import day_of_key, is_day
from headwater_model.errors import Conflict

# A root id has 2 KB at most, six times as much with every character escaped.
_LINE_BYTES_MAX = 64 * 1024
_NAME = re.compile(r"([0-9a-f]{64})\.([0-9a-f]{64})\.jsonl\.gz")
_TYPES = {"key": str, "sha256": str, "size_bytes": int, "records": int, "lines": int, "version": int}


@dataclass(frozen=True, slots=True)
class SealedDay:
    """A digest in the store: its SHA-256; `head` and `counts` as far as they could be read.

    `fault` says where the digest differs from a seal's form; empty if it is valid. `removed` are the objects that it
    lists as removed by order.
    """

    link: DigestRef
    head: Head | None
    counts: Counts | None
    fault: str = ""
    removed: Sequence[Removal] = ()

    @property
    def day(self) -> str:
        """The day of the digest."""
        return self.link.day

    @property
    def events(self) -> ArrivalDays:
        """The days of arrival of its events; empty without events, or without a head."""
        return (self.head and self.head.events) or ArrivalDays("", "")


def read_digest(store: Store, day: str, visit: Callable[[ArchiveObject], None] | None) -> SealedDay:
    """Read the day's digest; each of its objects goes to `visit`.

    Without `visit` only the head, the hash, and removals are read.
    """
    sha256 = hashlib.sha256()
    chunks = observe(store.chunks(key_of(day)), sha256.update)
    head, counts, fault = None, None, ""
    removed: Sequence[Removal] = ()
    try:
        lines = DigestLines(_lines(_inflate(chunks)))
        head = _check_head(lines.head, day)
        if visit is not None or head.removals:
            for entry in _check_entries(lines, day):
                if visit is not None:
                    visit(entry)
            counts, removed = lines.counts, lines.removed
    except BadDigest as error:
        fault = str(error)
    for _ in chunks:
        pass
    return SealedDay(DigestRef(day, key_of(day), sha256.hexdigest()), head, counts, fault, removed)


def entries_of(store: Store, sealed: SealedDay) -> Iterator[ArchiveObject | EventObject]:
    """Yield the entries of a valid digest; raise `Conflict` if it has changed since."""
    sha256 = hashlib.sha256()
    chunks = observe(store.chunks(sealed.link.key), sha256.update)
    try:
        yield from DigestLines(_lines(_inflate(chunks))).entries()
        for _ in chunks:
            pass
        if sha256.hexdigest() == sealed.link.sha256:
            return
    except BadDigest:
        pass
    raise Conflict(f"{sealed.link.key} was replaced while it was read; verify again")


def _inflate(chunks: Iterable[bytes | memoryview]) -> Iterator[bytes]:
    try:
        yield from inflate(chunks)
    except NotOneStream as error:
        raise BadDigest(str(error)) from error
    except zlib.error as error:
        raise BadDigest(f"it cannot be decompressed: {error}") from error


def _lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines without their line feeds."""
    rest = b""
    for block in blocks:
        *lines, rest = (rest + block).split(b"\n")
        yield from lines
        if len(rest) > _LINE_BYTES_MAX:
            raise BadDigest(f"a line has more than {_LINE_BYTES_MAX} bytes")
    if rest:
        raise BadDigest("its last line has no end")


def _check_head(head: Head, day: str) -> Head:
    if head.day != day:
        raise BadDigest(f"it is the digest of {head.day!r}")
    _check_arrival_days(head)
    before = head.previous
    if before is None:
        return head
    if not all(isinstance(value, str) for value in astuple(before)):
        raise BadDigest("previous: must be text")
    if day_of_key(before.key) != before.day or before.key != key_of(before.day) or before.day >= day:
        raise BadDigest(f"previous: must be the digest of an earlier day, got {before.key!r} of {before.day!r}")
    return head


def _check_arrival_days(head: Head) -> None:
    """Raise `BadDigest` for days of arrival that the seal of the day would not write."""
    days = head.events
    if days is None:
        return
    if not (isinstance(days.after, str) and isinstance(days.to, str) and is_day(days.to)):
        raise BadDigest("events: must name days")
    if not ((days.after == "" or is_day(days.after)) and days.after <= days.to <= head.day):
        raise BadDigest(f"events: must be of days up to {head.day}, got after {days.after!r} to {days.to!r}")


def _check_entries(lines: DigestLines, day: str) -> Iterator[ArchiveObject]:
    """Yield the traces' objects in order, each checked to be of the day; then check the events and the counts.

    Raises:
        BadDigest: an entry or a count is not in a seal's form.
    """
    prefix, last, root, event = prefix_of(day), "", "", ""
    counts = Counts()
    for entry in lines.entries():
        if isinstance(entry, EventObject):
            _refuse(f"event object {counts.event_objects + 1}", _fault_of_event(entry, lines.head.events, event))
            counts, event = counts.plus(entry), entry.key
            continue
        fault = _fault_of(entry, prefix, last) or ("comes after those of events" if event else "")
        _refuse(f"object {counts.objects + 1}", fault)
        yield entry
        counts = counts.plus(entry, new_root=entry.root_sha != root)
        last, root = entry.key, entry.root_sha
    if len(lines.removed) != lines.head.removals or not all(map(_is_removal, lines.removed)):
        raise BadDigest(f"it counts {lines.head.removals!r} removals of objects, and lists {len(lines.removed)}")
    for name, listed in asdict(replace(counts, missing=len(lines.missing))).items():
        if (counted := getattr(lines.counts, name)) != listed:
            raise BadDigest(f"it counts {name} {counted!r}, and lists {listed}")


def _is_removal(removal: Removal) -> bool:
    return isinstance(removal.key, str) and type(removal.at) is int and day_of_key(removal.key) != ""


def _refuse(entry: str, fault: str) -> None:
    if fault:
        raise BadDigest(f"{entry}: {fault}")


def _fault_of_event(entry: EventObject, days: ArrivalDays | None, last: str) -> str:
    """Check the entry of events against the seal's form and the last entry: its fault, or empty."""
    if not (isinstance(entry.key, str) and isinstance(entry.sha256, str) and type(entry.size_bytes) is int):
        return "key and sha256 must be text, size_bytes a number"
    day = day_of_key(entry.key)
    if not (days and day and days.hold(day) and entry.key.startswith(event_prefix_of(day))):
        return f"key: must name an object of a day of arrival that the digest covers, got {entry.key!r}"
    if sha256_in_name(entry.key) != entry.sha256:
        return f"sha256: must be the one in its key {entry.key}, got {entry.sha256!r}"
    if entry.key <= last:
        return f"key: {entry.key} {'is listed twice' if entry.key == last else 'is out of order'}"
    return "" if entry.size_bytes > 0 else f"{entry.key} has a size that no object has"


def _fault_of(entry: ArchiveObject, prefix: str, last: str) -> str:
    """Check an object's entry: its fault, or empty if the seal would write it after the last key."""
    if wrong := [name for name, kind in _TYPES.items() if type(getattr(entry, name)) is not kind]:
        return f"{wrong[0]}: must be {_TYPES[wrong[0]].__name__}"
    name = _NAME.fullmatch(entry.key, len(prefix)) if entry.key.startswith(prefix) else None
    if name is None:
        return f"key: must name an object of the day, got {entry.key!r}"
    if name[2] != entry.sha256:
        return f"sha256: must be the one in its key {entry.key}, got {entry.sha256!r}"
    if entry.key <= last:
        return f"key: {entry.key} {'is listed twice' if entry.key == last else f'is out of order, after {last}'}"
    if min(entry.size_bytes, entry.version) < 1 or min(entry.records, entry.lines) < 0:
        return f"{entry.key} has a size, a version or counts that no object has"
    return _fault_of_base(entry, prefix, name[1])


def _fault_of_base(entry: ArchiveObject, prefix: str, root_sha: str) -> str:
    base = entry.base
    if base is None:
        return ""
    if isinstance(base, str) and day_of_key(base) and base < prefix:
        name = _NAME.fullmatch(base.rpartition("/")[2])
        if name and name[1] == root_sha and base == prefix_of(day_of_key(base)) + name[0]:
            return ""
    return f"base: must be an object of the same root on an earlier day, got {base!r}"
