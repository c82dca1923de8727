"""Archive pointers in the graph table: each root's last object, and every object committed on a day.

ROOT#<sha of root>    ARCHIVE           the root's last committed object     compare-and-swap on version
OBJECT#<day>#<shard>  <sha>.<content>   every committed object of the day    written in the same transaction
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwater.aws.items import batch_get, batch_write, put_if, query_pages
from headwater.records.table import check_version
from headwater_model.errors import Conflict
from headwater_model.ids import SHARDS, sha256_hex

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

    from headwater.aws.items import Item, Value


def day_of_key(key: str) -> str:
    """Read the day in an object's key.

    >>> day_of_key("traces/year=2026/month=11/day=20/0a.1b.jsonl.gz")
    '2026-11-20'
    """
    return "-".join(part.partition("=")[2] for part in key.split("/")[1:4])


@dataclass(frozen=True, slots=True)
class ArchiveObject:
    """A committed object of the archive; sizes in bytes, `records` and `lines` are counts.

    `version` counts the root's objects from 1: the last object is the authority on the root, and holds every record of
    the earlier objects. `base` is the key of the root's last object of an earlier day, or None: records outside the
    base were first archived on the object's own day.
    """

    key: str
    sha256: str
    size_bytes: int
    records: int
    lines: int
    version: int
    base: str | None = None

    @property
    def root_sha(self) -> str:
        """The SHA-256 of the root's id, from the key."""
        return self.key.rpartition("/")[2].partition(".")[0]

    @property
    def day(self) -> str:
        """The day of the object, from the key."""
        return day_of_key(self.key)


@dataclass(frozen=True, slots=True)
class LastArchive:
    """A root's last archive: the object, and the seconds since 1970 between which its trace read the table."""

    day: str
    read_from: int
    read_to: int
    object: ArchiveObject

    @property
    def version(self) -> int:
        """The version of the object."""
        return self.object.version

    def base_of(self, day: str) -> str | None:
        """Choose the base of the root's next object, of `day` or the same day."""
        return self.object.key if self.day < day else self.object.base


class DaySealed(Conflict):
    """A refused commit: the day's digest is being written, so no more objects can belong to it."""


class Overtaken(Conflict):
    """A refused commit: another trace of the root committed first, so the root must be read again."""


@dataclass(frozen=True, slots=True)
class Pointers:
    """The committed objects of the archive."""

    dynamodb: DynamoDBClient
    table: str

    def find(self, root_id: str) -> LastArchive | None:
        """Find the root's last archive, strongly consistent, or None."""
        response = self.dynamodb.get_item(TableName=self.table, Key=_archive_key(root_id), ConsistentRead=True)
        item = response.get("Item")
        return _pointer(item) if item else None

    def find_many(self, root_ids: Iterable[str]) -> dict[str, LastArchive]:
        """Find the last archives of many roots, strongly consistent; roots without an archive are left out."""
        items = batch_get(self.dynamodb, self.table, [_archive_key(root_id) for root_id in root_ids])
        return {item["root_id"]["S"]: _pointer(item) for item in items}

    def find_by_sha(self, shas: Sequence[str]) -> dict[str, tuple[str, LastArchive]]:
        """Find root id and last archive by the SHA-256 of the id; roots without an archive are left out."""
        keys: list[Item] = [_key_of_sha(sha) for sha in shas]
        items = batch_get(self.dynamodb, self.table, keys)
        return {item["pk"]["S"].partition("#")[2]: (item["root_id"]["S"], _pointer(item)) for item in items}

    def find_object(self, key: str) -> ArchiveObject | None:
        """Find a committed object by its key."""
        sha, _, rest = key.rpartition("/")[2].partition(".")
        place: Item = {
            "pk": {"S": _objects_pk(day_of_key(key), sha[0])},
            "sk": {"S": f"{sha}.{rest.partition('.')[0]}"},
        }
        item = self.dynamodb.get_item(TableName=self.table, Key=place, ConsistentRead=True).get("Item")
        return _object(item) if item else None

    def roots_on(self, day: str, shard: str, *, after: str, upto: str) -> Iterator[str]:
        """Yield in order the SHA-256 of each root of the shard with objects of the day, after `after`, up to `upto`."""
        # Objects' keys have a dot behind the SHA-256, which comes before a slash.
        last = ""
        for items in query_pages(self.dynamodb, self.table, _objects_pk(day, shard), after=f"{after}/"):
            for item in items:
                sha = item["sk"]["S"].partition(".")[0]
                if sha > upto:
                    return
                if sha != last:
                    yield sha
                last = sha

    def commit(self, root_id: str, pointer: LastArchive) -> None:
        """Make the object the root's archive, if `pointer.version` follows the committed one and the day is open.

        Raises `Overtaken` or `DaySealed`. Repeating a commit changes nothing.
        """
        try:
            self.dynamodb.transact_write_items(TransactItems=self._commit_items(root_id, pointer))
        except self.dynamodb.exceptions.TransactionCanceledException as error:
            codes = [reason.get("Code") for reason in error.response["CancellationReasons"]]
            current = self.find(root_id)
            if current is not None and current.object == pointer.object:
                return
            if codes[2] == "ConditionalCheckFailed":
                raise DaySealed(f"day {pointer.day} is sealed") from error
            if "ConditionalCheckFailed" in codes or "TransactionConflict" in codes:
                raise Overtaken("another trace of the root committed first") from error
            raise

    def restore(self, root_id: str, pointer: LastArchive) -> None:
        """Make the object, listed by the day's digest, the root's archive, unless the root has a later one."""
        values: Item = {":version": {"N": str(pointer.version)}}
        condition = "attribute_not_exists(pk) OR version < :version"
        put_if(self.dynamodb, self.table, _archive_item(root_id, pointer), condition, values)

    def restore_objects(self, day: str, objects: Sequence[ArchiveObject]) -> None:
        """Make the rows of objects that the day's digest lists; existing rows are equal."""
        batch_write(
            self.dynamodb,
            self.table,
            [{"PutRequest": {"Item": _object_row(day, trace_object)}} for trace_object in objects],
        )

    def _commit_items(self, root_id: str, pointer: LastArchive) -> list[TransactWriteItemTypeDef]:
        return [
            {
                "Put": {
                    "TableName": self.table,
                    "Item": _archive_item(root_id, pointer),
                    "ConditionExpression": "version = :before OR (:before = :none AND attribute_not_exists(pk))",
                    "ExpressionAttributeValues": {":before": {"N": str(pointer.version - 1)}, ":none": {"N": "0"}},
                }
            },
            {"Put": {"TableName": self.table, "Item": _object_row(pointer.day, pointer.object)}},
            {
                "ConditionCheck": {
                    "TableName": self.table,
                    "Key": {"pk": {"S": f"DAY#{pointer.day}"}, "sk": {"S": "SEAL"}},
                    "ConditionExpression": "attribute_not_exists(pk)",
                }
            },
        ]

    def objects_of(self, day: str) -> Iterator[ArchiveObject]:
        """Yield every committed object of the day, by shard and key."""
        for shard in SHARDS:
            for items in query_pages(self.dynamodb, self.table, _objects_pk(day, shard)):
                yield from map(_object, items)


def _archive_item(root_id: str, pointer: LastArchive) -> Item:
    return {
        **_archive_key(root_id),
        **_object_item(pointer.object),
        "root_id": {"S": root_id},
        "day": {"S": pointer.day},
        "read_from": {"N": str(pointer.read_from)},
        "read_to": {"N": str(pointer.read_to)},
    }


def _object_row(day: str, trace_object: ArchiveObject) -> Item:
    return {
        "pk": {"S": _objects_pk(day, trace_object.root_sha[0])},
        "sk": {"S": f"{trace_object.root_sha}.{trace_object.sha256}"},
        **_object_item(trace_object),
    }


def _archive_key(root_id: str) -> dict[str, Value]:
    return _key_of_sha(sha256_hex(root_id))


def _key_of_sha(sha: str) -> dict[str, Value]:
    return {"pk": {"S": f"ROOT#{sha}"}, "sk": {"S": "ARCHIVE"}}


def _objects_pk(day: str, shard: str) -> str:
    return f"OBJECT#{day}#{shard}"


def _pointer(item: Item) -> LastArchive:
    return LastArchive(
        day=item["day"]["S"],
        read_from=int(item["read_from"]["N"]),
        read_to=int(item["read_to"]["N"]),
        object=_object(item),
    )


def _object_item(trace_object: ArchiveObject) -> dict[str, Value]:
    return {
        "object_key": {"S": trace_object.key},
        "sha256": {"S": trace_object.sha256},
        "size_bytes": {"N": str(trace_object.size_bytes)},
        "records": {"N": str(trace_object.records)},
        "lines": {"N": str(trace_object.lines)},
        "version": {"N": str(trace_object.version)},
        **({"base_key": {"S": trace_object.base}} if trace_object.base else {}),
    }


def _object(item: Item) -> ArchiveObject:
    check_version(item)
    return ArchiveObject(
        key=item["object_key"]["S"],
        sha256=item["sha256"]["S"],
        size_bytes=int(item["size_bytes"]["N"]),
        records=int(item["records"]["N"]),
        lines=int(item["lines"]["N"]),
        version=int(item["version"]["N"]),
        base=item["base_key"]["S"] if "base_key" in item else None,
    )
