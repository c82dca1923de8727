"""The digests in the archive bucket: each is written once, when its day is sealed."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from tempfile import SpooledTemporaryFile
from typing import IO, TYPE_CHECKING, cast

from botocore.exceptions import ClientError

from headwater.aws.objects import hash_object, is_missing, put_new
from headwater.records.archive import Archive, compress_lines, prefix_of
from headwater.records.archive_state import DigestRef
from headwater.records.digest import BadDigest, Counts, DigestLines, Head, key_of, render_digest
from headwater.records.event_objects import ArrivalDays, EventObject, end_of_events, sha256_in_name
from headwater.records.pointers import ArchiveObject, day_of_key
from headwater.settings import DIGESTS_PREFIX, EVENTS_PREFIX, TRACES_PREFIX
from headwater.times import is_day
from headwater_model.archive_tables import parse_manifest, published_key
from headwater_model.errors import Conflict

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

_SPOOLED_BYTES = 16 * 1024 * 1024
_BLOCK_LINES = 1000


@dataclass(frozen=True, slots=True)
class Digest:
    """A digest in the bucket."""

    link: DigestRef
    counts: Counts
    head: Head


@dataclass(frozen=True, slots=True)
class Digests:
    """The digests of every sealed day."""

    s3: S3Client
    bucket: str

    def put(
        self, head: Head, objects: Iterable[ArchiveObject], missing: Iterable[str], events: Iterable[EventObject] = ()
    ) -> Digest:
        """Write the day's digest, once; return the digest that counts.

        A seal that broke off may have written it already; since then some missing roots may have been traced. Raises
        `Conflict` if the existing digest names other objects: then someone else wrote it.
        """
        with SpooledTemporaryFile(_SPOOLED_BYTES) as spooled:
            file = cast(IO[bytes], spooled)
            compress_lines(_blocks(render_digest(head, objects, missing, events)), file)
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
        if there.head != expected.head or any(entry != other for entry, other in pairs):
            raise Conflict(
                f"s3://{self.bucket}/{key_of(day)} is not what sealing {day} writes: somebody else put it there"
            )

    def _read(self, day: str) -> DigestLines:
        return DigestLines(Archive(self.s3, self.bucket).lines(key_of(day)))

    def get(self, day: str) -> Digest:
        """Return the day's digest, read to its end. Raises `BadDigest`."""
        lines = self._read(day)
        for _ in lines.entries():
            pass
        if lines.counts is None:
            raise BadDigest(f"the digest of {day} has no counts")
        link = DigestRef(day, key_of(day), hash_object(self.s3, self.bucket, key_of(day)))
        return Digest(link, lines.counts, lines.head)

    def objects_of(self, day: str) -> Iterator[ArchiveObject]:
        """Yield the objects of traces that the day's digest lists, by key. Raises `BadDigest`."""
        return self._read(day).objects()

    def events_of(self, days: ArrivalDays) -> Iterator[EventObject]:
        """Yield the objects of the raw log that arrived on these days, by key; files of other names are skipped."""
        start = end_of_events(days.after) if days.after else ""
        pages = self.s3.get_paginator("list_objects_v2").paginate(
            Bucket=self.bucket, Prefix=f"{EVENTS_PREFIX}year=", StartAfter=start
        )
        for listed in chain.from_iterable(page.get("Contents", []) for page in pages):
            if listed["Key"] > end_of_events(days.to):
                return
            if sha256 := sha256_in_name(listed["Key"]):
                yield EventObject(listed["Key"], sha256, listed["Size"])

    def days(self, after: str = "") -> Iterator[str]:
        """Yield the days after this one that have a digest, oldest first."""
        for key in self._keys(DIGESTS_PREFIX, after=key_of(after) if after else ""):
            day = day_of_key(key)
            if is_day(day) and key == key_of(day):
                yield day

    def first_day(self) -> str | None:
        """Return the day of the first digest, or None."""
        return next(self.days(), None)

    def keys_after(self, day: str) -> Iterator[str]:
        """Yield the keys of traces after this day; of all days without one."""
        # A zero sorts after a slash: after all keys of the day.
        yield from self._keys(TRACES_PREFIX, after=f"{prefix_of(day)[:-1]}0" if day else "")

    def published_attempt(self, link: DigestRef) -> str | None:
        """Return the attempt whose tables of the day are published, if it read this digest."""
        try:
            body = self.s3.get_object(Bucket=self.bucket, Key=published_key(link.day))["Body"].read()
        except ClientError as error:
            if not is_missing(error):
                raise
            return None
        manifest = parse_manifest(body)
        return manifest.attempt if manifest.digest_sha256 == link.sha256 else None

    def remove_orphans(self, day: str, committed: Iterable[ArchiveObject]) -> int:
        """Remove objects that traces left under a sealed day without a commit; return the number removed.

        `committed` are the day's objects by key, as S3 lists them too.
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
        pages = self.s3.get_paginator("list_objects_v2")
        for page in pages.paginate(Bucket=self.bucket, Prefix=prefix, StartAfter=after):
            yield from (entry["Key"] for entry in page.get("Contents", []))


def _blocks(lines: Iterator[bytes]) -> Iterator[bytes]:
    while block := b"".join(islice(lines, _BLOCK_LINES)):
        yield block
