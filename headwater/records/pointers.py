"""Archive pointers in the graph table: each root's last object, and every object committed on a day.

ROOT#<sha of root>    ARCHIVE           the root's last committed object     compare-and-swap on version
OBJECT#<day>#<shard>  <sha>.<content>   every committed object of the day    written in the same transaction
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from headwater.aws.items import batch_get, batch_write, from_item, put_if, query_pages, to_item
from headwater.records.table import check_version
from headwater.times import day_of_key
from headwater_model.errors import Conflict
from headwater_model.ids import SHARDS, sha256_hex

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

    from headwater.aws.items import Item, Value

# Objects of a root after a day, one for each later day.
_BASES_MAX = 100


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

    def find_until(self, newest: ArchiveObject, day: str) -> ArchiveObject | None:
        """Find a root's last object up to a day: `newest`, or an earlier object; each day has a single base."""
        trace_object: ArchiveObject | None = newest
        for _ in range(_BASES_MAX):
            if trace_object is None or trace_object.day <= day:
                return trace_object
            trace_object = self.find_object(trace_object.base) if trace_object.base else None
        return None

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

    def commit(self, pointers: Mapping[str, LastArchive]) -> None:
        """Make each object its root's archive, if `version` follows the committed one and its day is open: all or none.

        A transaction holds 40 roots. Raises `Overtaken` or `DaySealed`. Repeating a commit changes nothing.
        """
        days = sorted({pointer.day for pointer in pointers.values()})
        puts = [put for root_id, pointer in pointers.items() for put in self._puts(root_id, pointer)]
        try:
            self.dynamodb.transact_write_items(TransactItems=[*puts, *map(self._check_open, days)])
        except self.dynamodb.exceptions.TransactionCanceledException as error:
            codes = [reason.get("Code") for reason in error.response["CancellationReasons"]]
            current = {root_id: known.object for root_id, known in self.find_many(pointers).items()}
            if current == {root_id: pointer.object for root_id, pointer in pointers.items()}:
                return
            if "ConditionalCheckFailed" in codes[len(puts) :]:
                raise DaySealed(f"one of these days is sealed: {', '.join(days)}") from error
            if "ConditionalCheckFailed" in codes or "TransactionConflict" in codes:
                raise Overtaken("another trace of a root committed first") from error
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

    def _puts(self, root_id: str, pointer: LastArchive) -> list[TransactWriteItemTypeDef]:
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
        ]

    def _check_open(self, day: str) -> TransactWriteItemTypeDef:
        key: Item = {"pk": {"S": f"DAY#{day}"}, "sk": {"S": "SEAL"}}
        return {
            "ConditionCheck": {"TableName": self.table, "Key": key, "ConditionExpression": "attribute_not_exists(pk)"}
        }

    def objects_of(self, day: str) -> Iterator[ArchiveObject]:
        """Yield every committed object of the day, by shard and key."""
        for shard in SHARDS:
            for items in query_pages(self.dynamodb, self.table, _objects_pk(day, shard)):
                yield from map(_object, items)


def _archive_item(root_id: str, pointer: LastArchive) -> Item:
    times = to_item({"day": pointer.day, "read_from": pointer.read_from, "read_to": pointer.read_to})
    return {**_archive_key(root_id), **_object_item(pointer.object), "root_id": {"S": root_id}, **times}


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
    form = from_item(item)
    return LastArchive(form["day"], form["read_from"], form["read_to"], _object(item))


def _object_item(trace_object: ArchiveObject) -> dict[str, Value]:
    form = asdict(trace_object)
    return to_item({"object_key": form.pop("key"), "base_key": form.pop("base"), **form})


def _object(item: Item) -> ArchiveObject:
    check_version(item)
    form = from_item(item)
    counts = {name: form[name] for name in ("sha256", "size_bytes", "records", "lines", "version")}
    return ArchiveObject(form["object_key"], **counts, base=form.get("base_key"))
