r"""The ids of roots in the graph table, by their beginning.

    ROOT_IDS#<shard>    <the id's first 512 bytes>\0<sha of root>    root_id

Loading adds a root on each day on which it gets records; replay adds those of the archive. The ids stay. A partition
takes 1,000 new ids a second (developer guide, "Designing partition keys to distribute your workload").
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

# A page of ids reads each.
SHARDS = 4
# A sort key has at most 1,024 bytes, an id 2,048.
_KEY_BYTES = 512


@dataclass(frozen=True, slots=True)
class RootIdPage:
    """A page of ids, which may be short, or empty; the next page is behind the id `after`, None at the end."""

    root_ids: Sequence[str]
    after: str | None


@dataclass(frozen=True, slots=True)
class RootIds:
    """The ids of all roots that got records."""

    dynamodb: DynamoDBClient
    table: str

    def add(self, root_id: str) -> None:
        """Add the root; a repetition changes nothing."""
        sha = sha256_hex(root_id)
        self.dynamodb.update_item(
            TableName=self.table,
            Key={"pk": {"S": _partition(int(sha, 16) % SHARDS)}, "sk": {"S": _sort_key(root_id, sha)}},
            UpdateExpression="SET root_id = :root",
            ExpressionAttributeValues={":root": {"S": root_id}},
        )

    def beginning_with(self, prefix: str, *, after: str | None, limit: int) -> RootIdPage:
        """Return up to `limit` ids that begin so, of those behind `after`, in the order of their first 512 bytes."""
        pages = [self._page(shard, prefix, after, limit) for shard in range(SHARDS)]
        # A shard that was read in part says nothing of what is behind its last row.
        upto = min((rows[-1] for rows, whole in pages if not whole), default=None)
        matches = sorted(row for rows, _ in pages for row in rows if upto is None or row <= upto)
        page = [root_id for _, root_id in matches[:limit]]
        is_last = upto is None and len(matches) <= limit
        # A key holds the beginning of a longer id alone.
        return RootIdPage([root_id for root_id in page if root_id.startswith(prefix)], None if is_last else page[-1])

    def _page(self, shard: int, prefix: str, after: str | None, limit: int) -> tuple[list[tuple[bytes, str]], bool]:
        """Return the first ids of a shard with the bytes of their keys, and True if these are all."""
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


def _partition(shard: int) -> str:
    return f"{settings.ROOT_IDS}{shard}"


def _sort_key(root_id: str, sha: str) -> str:
    return f"{_beginning(root_id)}\0{sha}"


def _beginning(text: str) -> str:
    """Return as many first characters as fit into a key."""
    return text.encode()[:_KEY_BYTES].decode(errors="ignore")
