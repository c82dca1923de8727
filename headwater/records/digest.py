"""A day's digest: a list of the day's objects, chained to the day before, in the manner of CloudTrail's digests.

    digests/year=2026/month=11/day=20/digest.jsonl.gz

JSON lines, compressed, so that a day of a million objects is written and read in little memory:

    {"version": 3, "day", "sealed_at", "execution", "previous": {"day", "key", "sha256"} or null,
     "events": {"after", "to"}, "removals": the number of the next but one lines, if there are any}
    {"key", "sha256", "size_bytes", "records", "lines", "version", "base"}        an object; in the order of the keys
    {"event_object": {"key", "sha256", "size_bytes"}}                             an object of the raw log; likewise
    {"removed": {"key", "at"}}                         an object removed for good since the last digest; likewise
    {"missing": SHA-256 of the root's id}                                         a root carried over; sorted
    {"counts": {"objects", "roots", "records", "lines", "size_bytes", "missing", "event_objects", "event_bytes"}}

`sealed_at` is in seconds since 1970. `version` counts the forms of a digest in its first line, and the objects of a
root in an object's line (see `ArchiveObject`). A proof of a root shows its days' digests to a caller, so digests name
roots by hashes alone. Version 1 has no events; versions 1 and 2 have the ids of missing roots. Digests with removals
are of version 4.

`Digests` writes each digest once, when its day is sealed.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice, zip_longest
from tempfile import SpooledTemporaryFile
from typing import IO, TYPE_CHECKING, Any, cast

import orjson

from headwater.aws.objects import hash_object, list_objects, put_new
from headwater.records.archive import Archive, compress_lines, prefix_of
from headwater.records.archive_state import DigestRef, Seal
from headwater.records.event_objects import ArrivalDays, EventObject, event_prefix_of, sha256_in_name
from headwater.records.pointers import ArchiveObject
from headwater.records.removals import Removal, list_removals
from headwater.settings import DIGESTS_PREFIX, EVENTS_PREFIX, TRACES_PREFIX
from headwater.times import day_of_key, end_of_folder, hive_prefix
from headwater_model.errors import Conflict, HeadwaterError
from headwater_model.ids import sha256_hex

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


VERSION = 4
_WITHOUT_REMOVALS = 3
_SPOOLED_BYTES = 16 * 1024 * 1024
_BLOCK_LINES = 1000


class BadDigest(HeadwaterError):
    """A digest in an unknown form, or of a later version."""


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a digest: its day and seal, the previous digest, the covered days of arrival, a number of removals.

    A digest of version 1 covers no events.
    """

    day: str
    seal: Seal
    previous: DigestRef | None
    events: ArrivalDays | None = None
    removals: int = 0


@dataclass(frozen=True, slots=True)
class Counts:
    """The counts of a digest: sums over its objects, and the number of missing roots."""

    objects: int = 0
    roots: int = 0
    records: int = 0
    lines: int = 0
    size_bytes: int = 0
    missing: int = 0
    event_objects: int = 0
    event_bytes: int = 0

    def plus(self, entry: ArchiveObject | EventObject, *, new_root: bool = False) -> Counts:
        """Add an object of traces, or of events."""
        if isinstance(entry, EventObject):
            return replace(self, event_objects=self.event_objects + 1, event_bytes=self.event_bytes + entry.size_bytes)
        return replace(
            self,
            objects=self.objects + 1,
            roots=self.roots + new_root,
            records=self.records + entry.records,
            lines=self.lines + entry.lines,
            size_bytes=self.size_bytes + entry.size_bytes,
        )


def key_of(day: str) -> str:
    """Build the key of the day's digest.

    >>> key_of("2026-11-20")
    'digests/year=2026/month=11/day=20/digest.jsonl.gz'
    """
    return f"digests/{hive_prefix(day)}digest.jsonl.gz"


def render_digest(
    head: Head,
    objects: Iterable[ArchiveObject],
    missing: Iterable[str],
    events: Iterable[EventObject] = (),
    removed: Sequence[Removal] = (),
) -> Iterator[bytes]:
    """Yield the lines of a digest, each with its line feed; objects must be sorted by key.

    `missing` are ids of roots; `events` are the objects that arrived on the days of `head.events`.
    """
    links: dict[str, Any] = {"previous": _form(head.previous), "events": _form(head.events)}
    version, removals = (VERSION, {"removals": len(removed)}) if removed else (_WITHOUT_REMOVALS, {})
    yield _line({"version": version, "day": head.day, **asdict(head.seal), **links, **removals})
    counts, root = Counts(), ""
    for entry in objects:
        counts = counts.plus(entry, new_root=entry.root_sha != root)
        root = entry.root_sha
        yield _line(asdict(entry))
    for event in events:
        counts = counts.plus(event)
        yield _line({"event_object": asdict(event)})
    for removal in removed:
        yield _line({"removed": asdict(removal)})
    for root_sha in sorted(map(sha256_hex, missing)):
        counts = replace(counts, missing=counts.missing + 1)
        yield _line({"missing": root_sha})
    yield _line({"counts": asdict(counts)})


def _form(part: DigestRef | ArrivalDays | None) -> dict[str, str] | None:
    return asdict(part) if part else None


def _line(form: dict[str, Any]) -> bytes:
    return orjson.dumps(form, option=orjson.OPT_APPEND_NEWLINE)


class DigestLines:
    """A reader of a digest: `head` at once, then `entries()` to their end; then `removed`, `missing` and `counts`.

    `missing` are the SHA-256 of roots' ids, in versions 1 and 2 the ids.

    An unreadable line raises `BadDigest`. `verify` proves the content.
    """

    def __init__(self, lines: Iterable[bytes]) -> None:
        self._forms = map(_parse_line, lines)
        self.head = _parse_head(next(self._forms, {}))
        self.removed: list[Removal] = []
        self.missing: list[str] = []
        self.counts: Counts | None = None

    def objects(self) -> Iterator[ArchiveObject]:
        """Yield the listed objects of traces, in the digest's order."""
        return (entry for entry in self.entries() if isinstance(entry, ArchiveObject))

    def entries(self) -> Iterator[ArchiveObject | EventObject]:
        """Yield all listed objects, in the digest's order: of traces, then of events."""
        for form in self._forms:
            if self.counts is not None:
                raise BadDigest("a digest ends with its counts")
            if "counts" in form:
                self.counts = _build(Counts, form["counts"])
            elif "removed" in form:
                self.removed.append(_build(Removal, form["removed"]))
            elif "missing" in form:
                self.missing.append(form["missing"])
            elif "event_object" in form:
                yield _build(EventObject, form["event_object"])
            else:
                yield _build(ArchiveObject, form)
        if self.counts is None:
            raise BadDigest("the digest breaks off before its counts")


def _parse_line(line: bytes) -> dict[str, Any]:
    try:
        form = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise BadDigest(f"a line is no JSON: {error}") from error
    if not isinstance(form, dict):
        raise BadDigest("a line is no JSON object")
    return form


def _parse_head(form: dict[str, Any]) -> Head:
    version = form.get("version")
    if type(version) is not int or not 1 <= version <= VERSION:
        raise BadDigest(f"version: must be 1 to {VERSION}, got {version!r}: a later release of Headwater can read it")
    try:
        seal = Seal(form["execution"], form["sealed_at"])
        previous = DigestRef(**form["previous"]) if form["previous"] else None
        events = ArrivalDays(**form["events"]) if form.get("events") else None
        return Head(form["day"], seal, previous, events, form.get("removals", 0))
    except (KeyError, TypeError) as error:
        raise BadDigest(f"the first line is not that of a digest: {error}") from error


def _build(kind: Any, form: Any) -> Any:
    try:
        return kind(**form)
    except TypeError as error:
        raise BadDigest(f"a line is not that of a digest: {error}") from error


@dataclass(frozen=True, slots=True)
class Digest:
    """A digest in the bucket."""

    link: DigestRef
    counts: Counts
    head: Head


@dataclass(frozen=True, slots=True)
class DigestFile:
    """A digest as the bucket lists it; the size in bytes."""

    day: str
    key: str
    size_bytes: int


def list_digests(s3: S3Client, bucket: str, after: str = "") -> Iterator[DigestFile]:
    """Yield the digests behind a key, oldest first, without their signatures."""
    for listed in list_objects(s3, bucket, DIGESTS_PREFIX, after=after):
        day = day_of_key(listed["Key"])
        if day and listed["Key"] == key_of(day):
            yield DigestFile(day, listed["Key"], listed["Size"])


@dataclass(frozen=True, slots=True)
class Digests:
    """The digests of every sealed day."""

    s3: S3Client
    bucket: str

    def put(
        self,
        head: Head,
        objects: Iterable[ArchiveObject],
        missing: Iterable[str],
        events: Iterable[EventObject] = (),
        removed: Sequence[Removal] = (),
    ) -> Digest:
        """Write the day's digest, once; return the digest in the bucket.

        A seal that broke off may have written it already; missing roots may have been traced since. Raises `Conflict`
        if the bucket's digest has other objects, by a foreign writer.
        """
        with SpooledTemporaryFile(_SPOOLED_BYTES) as spooled:
            file = cast(IO[bytes], spooled)
            lines = render_digest(head, objects, missing, events, removed)
            compress_lines(iter(lambda: b"".join(islice(lines, _BLOCK_LINES)), b""), file)
            file.seek(0)
            form = "application/x-ndjson"
            if not put_new(self.s3, self.bucket, key_of(head.day), file, content_type=form, content_encoding="gzip"):
                file.seek(0)
                with gzip.open(file) as written:
                    self._check_same(head.day, DigestLines(written))
        return self.get(head.day)

    def _check_same(self, day: str, expected: DigestLines) -> None:
        there = self._read(day)
        pairs = zip_longest(there.entries(), expected.entries())
        heads = (replace(lines.head, removals=0) for lines in (there, expected))
        if next(heads) != next(heads) or any(entry != other for entry, other in pairs):
            raise Conflict(
                f"s3://{self.bucket}/{key_of(day)} is not what sealing {day} writes: somebody else put it there"
            )

    def _read(self, day: str) -> DigestLines:
        return DigestLines(Archive(self.s3, self.bucket).lines(key_of(day)))

    def get(self, day: str) -> Digest:
        """Read the day's digest to its end. Raises `BadDigest`."""
        lines = self._read(day)
        for _ in lines.entries():
            pass
        if lines.counts is None:
            raise BadDigest(f"the digest of {day} has no counts")
        link = DigestRef(day, key_of(day), hash_object(self.s3, self.bucket, key_of(day)))
        return Digest(link, lines.counts, lines.head)

    def objects_of(self, day: str) -> Iterator[ArchiveObject]:
        """Yield the day's listed objects of traces, by key. Raises `BadDigest`."""
        return self._read(day).objects()

    def events_of(self, days: ArrivalDays) -> Iterator[EventObject]:
        """Yield the objects of the raw log of these days of arrival, by key; files with other names are skipped."""
        start = end_of_folder(event_prefix_of(days.after)) if days.after else ""
        for listed in list_objects(self.s3, self.bucket, f"{EVENTS_PREFIX}year=", after=start):
            if listed["Key"] > end_of_folder(event_prefix_of(days.to)):
                return
            if sha256 := sha256_in_name(listed["Key"]):
                yield EventObject(listed["Key"], sha256, listed["Size"])

    def removed(self, since_s: int = 0) -> Sequence[Removal]:
        """List the objects removed since a time, by key; an object that was removed again may be listed again."""
        return list_removals(self.s3, self.bucket, since_s)

    def days(self, after: str = "") -> Iterator[str]:
        """Yield the later days with a digest, oldest first."""
        return (file.day for file in list_digests(self.s3, self.bucket, key_of(after) if after else ""))

    def first_day(self) -> str | None:
        """Find the day of the first digest, or None."""
        return next(self.days(), None)

    def keys_after(self, day: str) -> Iterator[str]:
        """Yield the keys of traces after a day; with "", all keys."""
        yield from self._keys(TRACES_PREFIX, after=end_of_folder(prefix_of(day)) if day else "")

    def remove_orphans(self, day: str, committed: Iterable[ArchiveObject]) -> int:
        """Remove the uncommitted objects that traces left under a sealed day; return their number.

        `committed` are the day's objects by key, the order of S3's listing.
        """
        removed = 0
        keys = (entry.key for entry in committed)
        next_key = next(keys, None)
        for key in self._keys(prefix_of(day)):
            while next_key is not None and next_key < key:
                next_key = next(keys, None)
            if key != next_key:
                Archive(self.s3, self.bucket).remove(key)
                removed += 1
        return removed

    def _keys(self, prefix: str, *, after: str = "") -> Iterator[str]:
        return (entry["Key"] for entry in list_objects(self.s3, self.bucket, prefix, after=after))
