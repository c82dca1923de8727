"""The state of the endpoint, kept in a file: its objects, partitions and messages outlive the process.

Items are in a file of their own (`local_stack.aws.tables`); a file of an older version has them still.

SQLite has a change before the response leaves: an accepted change survives a crash. A message with a lost deletion is
delivered again, as SQS may do.

    durable = Durable(application, Path("state.sqlite"))
    durable.restore(tables)  # into tables, buckets and queues made meanwhile
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
from moto.sqs.models import Message, sqs_backends

from local_stack.aws.endpoint import ACCOUNT, REGION
from local_stack.aws.tables.operations import Tables

Environ = dict[str, Any]
Application = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]
# Attributes of an object beyond its bytes.
_OF_OBJECT = ("etag", "checksum_algorithm", "checksum_value", "lock_mode", "lock_until", "lock_legal_status")
_OF_MESSAGE = (
    "body",
    "message_attributes",
    "system_attributes",
    "sent_timestamp",
    "delayed_until",
    "group_id",
    "deduplication_id",
    "sequence_number",
)
# 2: items are in a file of their own, where version 1 would miss them.
_VERSION = 2
_TABLES = """
CREATE TABLE IF NOT EXISTS items (tbl TEXT, key TEXT, item BLOB, PRIMARY KEY (tbl, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS objects (
    bucket TEXT, key TEXT, number INTEGER, about TEXT, body BLOB, PRIMARY KEY (bucket, key, number));
CREATE TABLE IF NOT EXISTS partitions (
    db TEXT, tbl TEXT, key TEXT, form TEXT, PRIMARY KEY (db, tbl, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS messages (queue TEXT, id TEXT, message TEXT, PRIMARY KEY (queue, id)) WITHOUT ROWID;
"""


class Newer(Exception):
    """A file of a later version."""


class Durable:
    """A WSGI application that keeps the changes by requests to Glue, S3 and SQS.

    Call it for one request to a service at a time; `service_of` names the service. The file has a connection for each.

    Raises:
        Newer: the file is of a later version.
    """

    def __init__(self, application: Application, file: Path, service_of: Callable[[Environ], str]) -> None:
        self._application, self._service_of = application, service_of
        self._objects, self._messages, self._partitions = (_open(file) for _ in range(3))
        self._keepers = {
            "glue": self._keep_partitions,
            "s3": self._keep_objects,
            "sqs": self._keep_messages,
        }
        self._known: dict[str, set[str]] = {}
        self._place = 0

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Handle a WSGI request."""
        statuses = []

        def start(status: str, *more: Any) -> Any:
            statuses.append(status)
            return start_response(status, *more)

        chunks = list(self._application(environ, start))
        keep = self._keepers.get(self._service_of(environ))
        if keep and statuses[-1].startswith("2"):
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

    # -- messages

    def _keep_messages(self, _: Environ) -> None:
        for name, queue in sqs_backends[ACCOUNT][REGION].queues.items():
            there = {message.id: message for message in queue._messages}
            known = self._known.setdefault(name, set())
            if there.keys() == known:
                continue
            with self._messages:
                gone = [(name, each) for each in known - there.keys()]
                self._messages.executemany("DELETE FROM messages WHERE queue = ? AND id = ?", gone)
                new = [(name, each, self._message_row(message)) for each, message in there.items() if each not in known]
                self._messages.executemany("INSERT OR REPLACE INTO messages VALUES (?, ?, ?)", new)
            self._known[name] = set(there)

    def _message_row(self, message: Message) -> str:
        self._place += 1
        return json.dumps({"place": self._place, **{name: getattr(message, name) for name in _OF_MESSAGE}})

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
        """Put all kept things back into the tables, buckets and queues of their names."""
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
        queues = sqs_backends[ACCOUNT][REGION].queues
        stored = self._messages.execute("SELECT queue, id, message FROM messages")
        messages = [(name, message_id, json.loads(message)) for name, message_id, message in stored]
        for name, message_id, message in sorted(messages, key=lambda row: _order(row[2])):
            self._place = max(self._place, _order(message)[0])
            if name in queues:
                queues[name].add_message(_message_of(message_id, message, fifo=queues[name].fifo_queue))
                self._known.setdefault(name, set()).add(message_id)

    def _move_items(self, tables: Tables) -> None:
        """Move the items of an older version into the tables."""
        items = self._objects.execute("SELECT tbl, item FROM items").fetchall()
        tables.put_all((table, orjson.loads(item)) for table, item in items)
        with self._objects:
            self._objects.execute("DELETE FROM items")


def open_database(file: Path | None) -> sqlite3.Connection:
    """Open a database that has each change before its response leaves; without a file it is in memory.

    Raises:
        Newer: the file is of a later version.
    """
    connection = sqlite3.connect(file or ":memory:", timeout=60, check_same_thread=False, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    [version] = connection.execute("PRAGMA user_version").fetchone()
    if version > _VERSION:
        raise Newer(f"is of version {version}, and this program reads {_VERSION}")
    connection.execute(f"PRAGMA user_version = {_VERSION}")
    return connection


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


def _order(stored: Mapping[str, Any]) -> tuple[int, float]:
    """Order kept messages; older versions kept only their time."""
    return stored.get("place", 0), stored["sent_timestamp"]


def _message_of(message_id: str, stored: Mapping[str, Any], *, fifo: bool) -> Message:
    message = Message(message_id, stored["body"])
    for name in _OF_MESSAGE:
        setattr(message, name, stored.get(name))
    if fifo and message.group_id is None:  # older versions kept no groups
        message.group_id = message_id
    return message
