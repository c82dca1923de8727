r"""The ids of roots in the graph table, by their beginning.

    ROOT_IDS#<shard>    <the id's first 512 bytes>\0<sha of root>    root_id

A root is added before its first mark of a day; replay adds the archive's roots. The ids stay. A partition takes 1,000
new ids a second (developer guide, "Designing partition keys to distribute your workload").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwater import settings
from headwater_model.ids import sha256_hex

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import QueryInputTypeDef

    from headwater.aws.items import Value

# A page of ids reads each shard.
SHARDS = 4
# A sort key has at most 1,024 bytes, an id 2,048.
_KEY_BYTES = 512


@dataclass(frozen=True, slots=True)
class RootIdPage:
    """A page of ids, perhaps short or empty; the next page is behind the id `after`, None at the end."""

    root_ids: Sequence[str]
    after: str | None


@dataclass(frozen=True, slots=True)
class RootIds:
    """The ids of all roots with records."""

    dynamodb: DynamoDBClient
    table: str

    def add(self, root_id: str) -> None:
        """Add the root; a repetition changes nothing."""
        self.dynamodb.update_item(
            TableName=self.table,
            Key=row_key(root_id),
            UpdateExpression="SET root_id = :root",
            ExpressionAttributeValues={":root": {"S": root_id}},
        )

    def beginning_with(self, prefix: str, *, after: str | None, limit: int) -> RootIdPage:
        """List up to `limit` ids with a prefix, behind the id `after`, in the order of their first 512 bytes."""
        pages = [self._page(shard, prefix, after, limit) for shard in range(SHARDS)]
        # Of a shard that was read in part, ids behind its last row are unknown.
        upto = min((rows[-1] for rows, whole in pages if not whole), default=None)
        matches = sorted(row for rows, _ in pages for row in rows if upto is None or row <= upto)
        page = [root_id for _, root_id in matches[:limit]]
        is_last = upto is None and len(matches) <= limit
        # A key holds only the beginning of a long id.
        return RootIdPage([root_id for root_id in page if root_id.startswith(prefix)], None if is_last else page[-1])

    def _page(self, shard: int, prefix: str, after: str | None, limit: int) -> tuple[list[tuple[bytes, str]], bool]:
        """Read the first ids of a shard with the bytes of their keys, and True at the shard's end."""
        partition: Value = {"S": _partition(shard)}
        query: QueryInputTypeDef = {
            "TableName": self.table,
            "KeyConditionExpression": "pk = :pk",
            "ExpressionAttributeValues": {":pk": partition},
            "Limit": limit,
        }
        if prefix:
            query["KeyConditionExpression"] = "pk = :pk AND begins_with(sk, :prefix)"
            query["ExpressionAttributeValues"] = {":pk": partition, ":prefix": {"S": _beginning(prefix)}}
        if after is not None:
            query["ExclusiveStartKey"] = {"pk": partition, "sk": {"S": _sort_key(after, sha256_hex(after))}}
        page = self.dynamodb.query(**query)
        rows = [(item["sk"]["S"].encode(), item["root_id"]["S"]) for item in page["Items"]]
        return rows, "LastEvaluatedKey" not in page


def row_key(root_id: str) -> dict[str, Value]:
    """Make the key of a root's row: `ROOT_IDS#<shard>`, and the id with its SHA-256."""
    sha = sha256_hex(root_id)
    return {"pk": {"S": _partition(int(sha, 16) % SHARDS)}, "sk": {"S": _sort_key(root_id, sha)}}


def _partition(shard: int) -> str:
    return f"{settings.ROOT_IDS}{shard}"


def _sort_key(root_id: str, sha: str) -> str:
    return f"{_beginning(root_id)}\0{sha}"


def _beginning(text: str) -> str:
    return text.encode()[:_KEY_BYTES].decode(errors="ignore")
