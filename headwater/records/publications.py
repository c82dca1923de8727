"""Published days, which SQL can query, in the graph table; Glue has the locations, this table the attempts.

DAY#<day>     PUBLISHED    attempt (none for a day without objects), digest_sha256, published_at, previous_attempt
COMPACTION    PUBLISHED    day      every sealed day up to this one is published
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwater.aws.items import batch_get, from_item, put_if, to_item

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from headwater.aws.items import Item

_LAST: Item = {"pk": {"S": "COMPACTION"}, "sk": {"S": "PUBLISHED"}}


@dataclass(frozen=True, slots=True)
class Publication:
    """A published day: its attempt, the digest read by the attempt, and the time (seconds since 1970).

    `attempt` is None for a day without objects; `before` is the attempt published until then.
    """

    day: str
    attempt: str | None
    digest_sha256: str
    published_at: int
    before: str | None = None


@dataclass(frozen=True, slots=True)
class Publications:
    """The published days."""

    dynamodb: DynamoDBClient
    table: str

    def last(self) -> str | None:
        """Read the last published day, strongly consistent, or None. All earlier sealed days are published, too."""
        item = self.dynamodb.get_item(TableName=self.table, Key=_LAST, ConsistentRead=True).get("Item")
        return item["day"]["S"] if item else None

    def of(self, days: Sequence[str]) -> dict[str, Publication]:
        """Read the publications of up to 100 days; unpublished days are left out."""
        items = batch_get(self.dynamodb, self.table, [_key(day) for day in days])
        return {publication.day: publication for publication in map(_publication, items)}

    def put(self, publication: Publication) -> None:
        """Store the publication of a day. Days are published in order, so all earlier days are published."""
        attributes = to_item(
            {
                "digest_sha256": publication.digest_sha256,
                "published_at": publication.published_at,
                "attempt": publication.attempt,
                "previous_attempt": publication.before,
            }
        )
        self.dynamodb.put_item(TableName=self.table, Item={**_key(publication.day), **attributes})
        last: Item = {**_LAST, "day": {"S": publication.day}}
        condition = "attribute_not_exists(pk) OR #day < :day"
        put_if(self.dynamodb, self.table, last, condition, {":day": last["day"]}, {"#day": "day"})


def _key(day: str) -> Item:
    return {"pk": {"S": f"DAY#{day}"}, "sk": {"S": "PUBLISHED"}}


def _publication(item: Item) -> Publication:
    form = from_item(item)
    day, before = form["pk"].partition("#")[2], form.get("previous_attempt")
    return Publication(day, form.get("attempt"), form["digest_sha256"], form["published_at"], before)
