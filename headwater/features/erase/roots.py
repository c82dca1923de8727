"""Erasure of a root of records: live records, staged images, marks, ids, pointers and objects of the archive."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwater import settings
from headwater.aws.items import batch_get, batch_write, query_pages
from headwater.aws.objects import list_days
from headwater.records.archive import prefix_of
from headwater.records.removals import list_removals, list_versions, remove_for_good
from headwater.records.root_ids import row_key as id_key
from headwater.records.table import RecordsTable
from headwater.times import day_of_key, days_between, shift
from headwater_model.ids import sha256_hex

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import WriteRequestTypeDef
    from mypy_boto3_s3 import S3Client

    from headwater.aws.items import Item

# A mark stays for 40 days after its last trace.
_MARKED_DAYS = 400


@dataclass(frozen=True, slots=True)
class RootErasure:
    """The stores of roots; `today` is a day, YYYY-MM-DD. `bypass` overrides Object Lock in governance mode."""

    records: RecordsTable
    dynamodb: DynamoDBClient
    graph_table: str
    s3: S3Client
    bucket: str
    today: str
    bypass: bool = False

    def count(self, root_id: str) -> dict[str, int]:
        """Count what there is of a root, by store."""
        return {
            "records": sum(1 for _ in self.records.read_root(root_id)),
            "staged records, marks and pointers": len(list(self._rows(root_id, self.objects(root_id)))),
            "archive objects": len(self.objects(root_id)),
        }

    def objects(self, root_id: str) -> Sequence[str]:
        """List the keys of the root's objects of any day, hidden versions too."""
        days = list_days(self.s3, self.bucket, settings.TRACES_PREFIX)
        sha = sha256_hex(root_id)
        listed = (
            version
            for day in (days_between(days[0], self.today) if days else ())
            for version in list_versions(self.s3, self.bucket, f"{prefix_of(day)}{sha}.")
        )
        return sorted({version["Key"] for version in listed})

    def erase(self, root_id: str) -> Sequence[str]:
        """Remove everything of a root; return the days of its archive objects.

        The objects' marks come first: a night that seals meanwhile lists them as removed.
        """
        keys = self.objects(root_id)
        remove_for_good(self.s3, self.bucket, keys, bypass=self.bypass)
        nodes = [
            {"DeleteRequest": {"Key": {name: item[name] for name in (settings.ROOT_ID, settings.NODE_ID)}}}
            for item in self.records.read_root(root_id)
        ]
        batch_write(self.dynamodb, self.records.name, nodes)  # type: ignore[arg-type]
        rows: list[WriteRequestTypeDef] = [{"DeleteRequest": {"Key": key}} for key in self._rows(root_id, keys)]
        batch_write(self.dynamodb, self.graph_table, rows)
        return sorted({day_of_key(key) for key in keys})

    def removed_days(self, root_id: str) -> Sequence[str]:
        """List the days of the root's removed objects, by their marks."""
        sha = sha256_hex(root_id)
        marks = list_removals(self.s3, self.bucket, prefix=settings.TRACES_PREFIX)
        return sorted({day_of_key(mark.key) for mark in marks if f"/{sha}." in mark.key})

    def _rows(self, root_id: str, objects: Sequence[str] = ()) -> Iterator[Item]:
        """Yield the keys of the root's rows in the graph table."""
        sha = sha256_hex(root_id)
        for items in query_pages(self.dynamodb, self.graph_table, f"{settings.STAGED}{sha}"):
            yield from map(row_key, items)
        # The mark of a refused root stays for ever.
        sealed = list_days(self.s3, self.bucket, settings.DIGESTS_PREFIX)
        days = days_between(min([shift(self.today, -_MARKED_DAYS), *sealed[:1]]), shift(self.today, 1))
        marks: list[Item] = [{"pk": {"S": f"{settings.MARKS}{day}#{sha[0]}"}, "sk": {"S": sha}} for day in days]
        pointers: list[Item] = [id_key(root_id), {"pk": {"S": f"{settings.ROOTS}{sha}"}, "sk": {"S": "ARCHIVE"}}]
        of_objects = [_object_row(key) for key in objects]
        yield from map(row_key, batch_get(self.dynamodb, self.graph_table, [*marks, *pointers, *of_objects]))


def row_key(item: Item) -> Item:
    """Cut a row of the graph table to its key.

    >>> row_key({"pk": {"S": "JOB"}, "sk": {"S": "a"}, "json": {"S": "{}"}})
    {'pk': {'S': 'JOB'}, 'sk': {'S': 'a'}}
    """
    return {name: item[name] for name in (settings.PK, settings.SK)}


def _object_row(key: str) -> Item:
    """Make the key of an object's row, as `headwater.records.pointers` writes it."""
    name = key.rpartition("/")[2].removesuffix(".jsonl.gz")
    return {"pk": {"S": f"OBJECT#{day_of_key(key)}#{name[0]}"}, "sk": {"S": name}}
