"""The state of the endpoint, kept in a file: its objects and partitions outlive the process.

Items are in a file of their own (`local_stack.aws.tables`); a file of an older version has them still. Messages are
`local_stack.aws.queues`'s. SQLite has a change on the disk before the response leaves.

    durable = Durable(application, Path("state.sqlite"), service_of, before)
    durable.restore(tables)  # into tables and buckets made meanwhile
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs
from xml.etree import ElementTree

import orjson
from moto.glue.models import glue_backends
from moto.s3.models import FakeDeleteMarker, FakeKey, s3_backends

from local_stack.aws.disk import open_database
from local_stack.aws.endpoint import ACCOUNT, REGION
from local_stack.aws.tables.operations import Tables

Environ = dict[str, Any]
Application = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]
# Attributes of an object beyond its bytes.
_OF_OBJECT = ("etag", "checksum_algorithm", "checksum_value", "lock_mode", "lock_until", "lock_legal_status")
_TABLES = """
CREATE TABLE IF NOT EXISTS items (tbl TEXT, key TEXT, item BLOB, PRIMARY KEY (tbl, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS objects (
    bucket TEXT, key TEXT, number INTEGER, about TEXT, body BLOB, PRIMARY KEY (bucket, key, number));
CREATE TABLE IF NOT EXISTS partitions (
    db TEXT, tbl TEXT, key TEXT, form TEXT, PRIMARY KEY (db, tbl, key)) WITHOUT ROWID;
"""


class Durable:
    """A WSGI application that keeps the changes by requests to Glue and S3.

    Call it for one request to a service at a time; `service_of` names the service. The file has a connection for each.
    `before` runs before a change is kept: the change may follow from others.

    Raises:
        Newer: the file is of a later version.
    """

    def __init__(
        self,
        application: Application,
        file: Path,
        service_of: Callable[[Environ], str],
        before: Callable[[], None] = lambda: None,
    ) -> None:
        self._application, self._service_of, self._before = application, service_of, before
        self._objects, self._partitions = (_open(file) for _ in range(2))
        self._keepers = {"glue": self._keep_partitions, "s3": self._keep_objects}

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Handle a WSGI request."""
        statuses = []

        def start(status: str, *more: Any) -> Any:
            statuses.append(status)
            return start_response(status, *more)

        chunks = list(self._application(environ, start))
        keep = self._keepers.get(self._service_of(environ))
        if keep and statuses[-1].startswith("2"):
            self._before()
            keep(environ)
        return chunks

    # -- objects

    def _keep_objects(self, environ: Environ) -> None:
        if environ["REQUEST_METHOD"] not in ("PUT", "POST", "DELETE"):
            return
        bucket_name, _, key = environ["PATH_INFO"].encode("latin-1").decode().lstrip("/").partition("/")
        bucket = s3_backends[ACCOUNT]["aws"].buckets.get(bucket_name)
        keys = [key] if key else list(_deleted_keys(environ))
        if bucket is None:
            return
        with self._objects:
            for name in keys:
                self._objects.execute("DELETE FROM objects WHERE bucket = ? AND key = ?", (bucket_name, name))
                rows = [
                    (bucket_name, name, number, *_object_row(version))
                    for number, version in enumerate(bucket.keys.getlist(name, []))
                ]
                self._objects.executemany("INSERT INTO objects VALUES (?, ?, ?, ?, ?)", rows)

    # -- partitions of tables in Glue

    def _keep_partitions(self, environ: Environ) -> None:
        if environ.get("HTTP_X_AMZ_TARGET", "") not in ("AWSGlue.CreatePartition", "AWSGlue.UpdatePartition"):
            return
        request = orjson.loads(environ["wsgi.input"].getvalue())
        names = (request["DatabaseName"], request["TableName"])
        partitions = glue_backends[ACCOUNT][REGION].get_table(*names).partitions
        rows = [(*names, key, json.dumps(partition.partition_input)) for key, partition in partitions.items()]
        with self._partitions:
            self._partitions.executemany("INSERT OR REPLACE INTO partitions VALUES (?, ?, ?, ?)", rows)

    # -- restoring

    def restore(self, tables: Tables) -> None:
        """Put all kept things back into the tables and buckets of their names."""
        self._move_items(tables)
        tables.restore()
        buckets = s3_backends[ACCOUNT]["aws"].buckets
        for name, key, about, body in self._objects.execute(
            "SELECT bucket, key, about, body FROM objects ORDER BY bucket, key, number"
        ):
            if name in buckets:
                versions = buckets[name].keys
                versions.setlist(key, [*versions.getlist(key, []), _object_of(name, key, json.loads(about), body)])
        for database, table, form in self._partitions.execute("SELECT db, tbl, form FROM partitions"):
            glue_backends[ACCOUNT][REGION].get_table(database, table).create_partition(json.loads(form))

    def _move_items(self, tables: Tables) -> None:
        """Move the items of an older version into the tables."""
        items = self._objects.execute("SELECT tbl, item FROM items").fetchall()
        tables.put_all((table, orjson.loads(item)) for table, item in items)
        with self._objects:
            self._objects.execute("DELETE FROM items")


def _open(file: Path) -> sqlite3.Connection:
    connection = open_database(file)
    connection.isolation_level = "DEFERRED"
    connection.executescript(_TABLES)
    return connection


def _deleted_keys(environ: Environ) -> Iterator[str]:
    """Yield the keys of a joint deletion (DeleteObjects)."""
    if environ["REQUEST_METHOD"] == "POST" and "delete" in parse_qs(
        environ.get("QUERY_STRING", ""), keep_blank_values=True
    ):
        for element in ElementTree.fromstring(environ["wsgi.input"].getvalue()).iter():  # noqa: S314 - on this machine
            if element.tag.rpartition("}")[2] == "Key":
                yield element.text or ""


def _object_row(version: FakeKey | FakeDeleteMarker) -> tuple[str, bytes | None]:
    about = {"version": version.version_id, "modified": version.last_modified.isoformat()}
    if isinstance(version, FakeDeleteMarker):
        return json.dumps(about), None
    more = {name: getattr(version, f"_{name}" if name == "etag" else name) for name in _OF_OBJECT}
    return json.dumps({**about, **more, "metadata": dict(version.metadata)}), version.value


def _object_of(bucket: str, key: str, about: Mapping[str, Any], body: bytes | None) -> FakeKey | FakeDeleteMarker:
    versioned = about["version"] != "null"
    fake_key = FakeKey(
        key, body or b"", ACCOUNT, REGION, bucket_name=bucket, is_versioned=versioned, version_id=about["version"]
    )
    fake_key.last_modified = datetime.fromisoformat(about["modified"])
    if body is None:
        marker = FakeDeleteMarker(fake_key)
        marker.last_modified, marker._version_id = fake_key.last_modified, about["version"]
        return marker
    for name in _OF_OBJECT:
        setattr(fake_key, f"_{name}" if name == "etag" else name, about[name])
    fake_key.set_metadata(about["metadata"], replace=True)
    return fake_key
