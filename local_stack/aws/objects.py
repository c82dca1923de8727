"""The objects of S3 in a database, in place of moto's dictionaries in memory; moto has buckets, rules and requests.

    objects = Objects(application, Disk(Path("state.sqlite")))
    objects.take_buckets()  # created from now on

A change is on the disk before the response leaves. A bucket that is created again has the objects of its name.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from datetime import datetime
from itertools import groupby, islice
from typing import Any

from moto.s3.models import FakeBucket, FakeDeleteMarker, FakeKey, S3Backend

from local_stack.aws.disk import Disk
from local_stack.aws.endpoint import ACCOUNT, REGION

Environ = dict[str, Any]
Application = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]
Version = FakeKey | FakeDeleteMarker
_TABLE = """CREATE TABLE IF NOT EXISTS objects (
    bucket TEXT, key TEXT, number INTEGER, about TEXT, body BLOB, PRIMARY KEY (bucket, key, number))"""
_VERSIONS = "SELECT key, about, NULL, length(body) FROM objects o WHERE bucket = ? AND key >= ? AND key < ?"
_LATEST = "number = (SELECT max(number) FROM objects WHERE bucket = o.bucket AND key = o.key)"
# Every name sorts before it.
_END = "\U0010ffff"
_PAGE_ROWS = 100
# Prefixes of the kept attributes of a version.
_KEPT = ("bucket_key_", "checksum_", "encryption", "kms_key_", "lock_")
_CHANGES = {"PUT", "POST", "DELETE"}


class Objects:
    """A WSGI application with objects in a database; `before` runs before a change: its reason is on the disk then.

    Call it for one request at a time.
    """

    def __init__(self, application: Application, disk: Disk, before: Callable[[], None] = lambda: None) -> None:
        self._application, self._disk, self._before = application, disk, before
        self._disk.database.execute(_TABLE)
        # The versions in use by a request: moto changes an object after it has put it.
        self._open: dict[tuple[str, str], list[Version]] = {}

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Handle a WSGI request of S3."""
        statuses = list[str]()

        def start(status: str, *more: Any) -> Any:
            statuses.append(status)
            return start_response(status, *more)

        try:
            chunks = list(self._application(environ, start))
            if environ["REQUEST_METHOD"] in _CHANGES and statuses[-1].startswith("2"):
                self._store()
        finally:
            self._open.clear()
        return chunks

    def take_buckets(self) -> None:
        """Keep the objects of all buckets that this process creates from now on."""
        create = FakeBucket.__init__

        def init(bucket: FakeBucket, *args: Any, **named: Any) -> None:
            create(bucket, *args, **named)
            bucket.keys = Keys(self, bucket.name)  # type: ignore[assignment]

        FakeBucket.__init__ = init  # type: ignore[assignment, method-assign]
        S3Backend.list_objects_v2 = staticmethod(self._list)  # type: ignore[assignment, method-assign]

    def open(self, bucket: str, key: str) -> list[Version]:
        """Read the versions of an object, the latest last."""
        if (bucket, key) not in self._open:
            sql = "SELECT key, about, body, length(body) FROM objects WHERE bucket = ? AND key = ? ORDER BY number"
            self._open[bucket, key] = [
                _version(bucket, *row) for row in self._disk.database.execute(sql, (bucket, key))
            ]
        return self._open[bucket, key]

    def overwrite(self, bucket: str, key: str, versions: Iterable[Version]) -> None:
        """Set the versions of an object; they are stored at the end of the request."""
        self._open[bucket, key] = list(versions)

    def read(self, bucket: str, prefix: str = "", after: str = "", *, latest: bool = False) -> Iterator[Version]:
        """Read the versions under a prefix, without their bytes, by key; with `latest` only current objects."""
        where = f" AND body IS NOT NULL AND {_LATEST}" if latest else ""
        bounds = (max(prefix, after + "\0"), prefix + _END)
        cursor = self._disk.database.execute(f"{_VERSIONS}{where} ORDER BY key, number", (bucket, *bounds))
        while rows := cursor.fetchmany(_PAGE_ROWS):
            yield from (_version(bucket, *row) for row in rows)

    def _store(self) -> None:
        rows = [
            (*place, number, *_row(version))
            for place, versions in self._open.items()
            for number, version in enumerate(versions)
        ]
        if self._open:
            self._before()
            with self._disk.transaction() as database:
                database.executemany("DELETE FROM objects WHERE bucket = ? AND key = ?", list(self._open))
                database.executemany("INSERT INTO objects VALUES (?, ?, ?, ?, ?)", rows)
            self._disk.sync()

    # -- lists

    def _list(
        self, bucket: FakeBucket, max_keys: int, **of: str | None
    ) -> tuple[list[Version | str], bool, str | None]:
        """List a page of current objects and folders; moto reads the whole bucket for each page."""
        token, start_after = of["continuation_token"], of["start_after"] or ""
        after = urlsafe_b64decode(token).decode() if token else start_after
        entries = list(islice(self._entries(bucket.name, of["prefix"] or "", of["delimiter"], after), max_keys + 1))
        page = entries[:max_keys]
        if not page or len(entries) == len(page):
            return page, False, None
        return page, True, urlsafe_b64encode(_name(page[-1]).encode()).decode()

    def _entries(self, bucket: str, prefix: str, delimiter: str | None, after: str) -> Iterator[Version | str]:
        """Yield the objects under a prefix, in order, and in place of several objects their folder."""
        folder: str | None = ""
        while folder is not None:
            folder = None
            for each in self.read(bucket, prefix, after, latest=True):
                rest = each.name[len(prefix) :]
                if delimiter and delimiter in rest:
                    folder = prefix + rest.partition(delimiter)[0] + delimiter
                    if folder > after:
                        yield folder
                    after = folder + _END
                    break
                yield each


class _Stored(FakeKey):
    """A version in the database, perhaps without its bytes."""

    def __deepcopy__(self, _: object) -> _Stored:
        # moto copies listed versions; the copy would have the size of its bytes.
        return self


class Keys(MutableMapping[str, Version]):
    """The objects of a bucket, as moto's `_VersionedKeyStore` has them: a value is the latest version."""

    def __init__(self, objects: Objects, bucket: str) -> None:
        self._objects, self._bucket = objects, bucket

    def __getitem__(self, key: str) -> Version:
        versions = self.getlist(key)
        if not versions:
            raise KeyError(key)
        return versions[-1]

    def __setitem__(self, key: str, version: Version) -> None:
        self.setlist(key, [*self._objects.open(self._bucket, key), version])

    def __delitem__(self, key: str) -> None:
        self.setlist(key, [])

    def __iter__(self) -> Iterator[str]:
        return (key for key, _ in self.iterlists())

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def getlist(self, key: str, default: list[Version] | None = None) -> list[Version] | None:
        """Read the versions of an object."""
        return self._objects.open(self._bucket, key) or default

    def setlist(self, key: str, versions: Iterable[Version]) -> None:
        """Overwrite the versions of an object."""
        self._objects.overwrite(self._bucket, key, versions)

    def iterlists(self) -> Iterator[tuple[str, list[Version]]]:
        """Yield the versions of each object, without their bytes."""
        for key, versions in groupby(self._objects.read(self._bucket), key=_name):
            yield key, list(versions)

    item_size = __len__


def _name(entry: Version | str) -> str:
    return entry if isinstance(entry, str) else entry.name


def _row(version: Version) -> tuple[str, bytes | None]:
    about: dict[str, Any] = {"version": version.version_id, "modified": version.last_modified.isoformat()}
    if isinstance(version, FakeDeleteMarker):
        return json.dumps(about), None
    more = {name: value for name, value in vars(version).items() if name.startswith(_KEPT)}
    about |= {"etag": version.etag.strip('"'), "storage_class": version.storage_class, **more}
    return json.dumps({**about, "metadata": dict(version.metadata)}), version.value


def _version(bucket: str, key: str, text: str, body: bytes | None, size_bytes: int | None) -> Version:
    about = json.loads(text)
    given = {"etag": about.get("etag"), "is_versioned": about["version"] != "null", "version_id": about["version"]}
    stored = _Stored(key, body or b"", ACCOUNT, REGION, about.get("storage_class"), bucket_name=bucket, **given)
    stored.last_modified, stored.disposed = datetime.fromisoformat(about["modified"]), True
    if size_bytes is None:
        marker = FakeDeleteMarker(stored)
        marker.last_modified, marker._version_id = stored.last_modified, about["version"]
        return marker
    kept = {name: value for name, value in about.items() if name.startswith(_KEPT)}
    vars(stored).update(kept, contentsize=size_bytes)
    stored.set_metadata(about["metadata"], replace=True)
    return stored
