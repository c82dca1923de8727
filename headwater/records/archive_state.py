"""The archive's state in the graph table: the lease of the compaction, the sealed days, and the last digest.

COMPACTION            LEASE       execution, until        a single compaction at a time extends the chain
COMPACTION            CHAIN_HEAD  day, key, sha256,       the end of the chain
                                  events_to               the last day of arrival with covered events
DAY#<day>             SEAL        execution, sealed_at    from then on no object can be committed to the day
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from headwater.aws.items import batch_get, put_if, to_item
from headwater_model.errors import Conflict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mypy_boto3_dynamodb import DynamoDBClient

    from headwater.aws.items import Item

_LEASE: Item = {"pk": {"S": "COMPACTION"}, "sk": {"S": "LEASE"}}
_LAST: Item = {"pk": {"S": "COMPACTION"}, "sk": {"S": "CHAIN_HEAD"}}


class ChainLost(Conflict):
    """A refused compaction: the bucket has digests without a row in the table, and would get a second chain."""


@dataclass(frozen=True, slots=True)
class Seal:
    """The seal of a day: by an execution, at a time (seconds since 1970)."""

    execution: str
    sealed_at: int


@dataclass(frozen=True, slots=True)
class DigestRef:
    """A digest as the next digest names it."""

    day: str
    key: str
    sha256: str


@dataclass(frozen=True, slots=True)
class ArchiveState:
    """The lease, the seals and the chain's last digest."""

    dynamodb: DynamoDBClient
    table: str

    def lease(self, execution: str, *, now_s: int, until_s: int) -> None:
        """Lease the archive to an execution until `until_s`; raise `Conflict` while a rival execution holds it."""
        lease: Item = {**_LEASE, **to_item({"execution": execution, "until": until_s})}
        condition = "attribute_not_exists(pk) OR execution = :execution OR #until < :now"
        values = to_item({":execution": execution, ":now": now_s})
        if not put_if(self.dynamodb, self.table, lease, condition, values, {"#until": "until"}):
            raise Conflict("another compaction is under way; it is over, or its lease is, before the next may start")

    def release(self, execution: str) -> None:
        """Release the lease, if the execution holds it."""
        try:
            self.dynamodb.delete_item(
                TableName=self.table,
                Key=_LEASE,
                ConditionExpression="execution = :execution",
                ExpressionAttributeValues={":execution": {"S": execution}},
            )
        except self.dynamodb.exceptions.ConditionalCheckFailedException:
            return

    def seal(self, day: str, seal: Seal) -> Seal:
        """Close the day to commits, once; return the valid seal, an earlier one first."""
        is_new = put_if(self.dynamodb, self.table, _seal_item(day, seal), "attribute_not_exists(pk)")
        return seal if is_new else self.seals([day])[day]

    def seals(self, days: Sequence[str]) -> dict[str, Seal]:
        """Read the seals of up to 100 days; days without a seal are left out."""
        items = batch_get(self.dynamodb, self.table, [_seal_key(day) for day in days])
        return {
            item["pk"]["S"].partition("#")[2]: Seal(item["execution"]["S"], int(item["sealed_at"]["N"]))
            for item in items
        }

    def restore_end(self, link: DigestRef, seal: Seal, events_to: str) -> None:
        """Close the last day and make its digest the end of the chain, in one transaction. A later end stays."""
        condition = "attribute_not_exists(pk) OR #day < :day"
        try:
            self.dynamodb.transact_write_items(
                TransactItems=[
                    {"Put": {"TableName": self.table, "Item": _seal_item(link.day, seal)}},
                    {
                        "Put": {
                            "TableName": self.table,
                            "Item": _end(link, events_to),
                            "ConditionExpression": condition,
                            "ExpressionAttributeNames": {"#day": "day"},
                            "ExpressionAttributeValues": {":day": {"S": link.day}},
                        }
                    },
                ]
            )
        except self.dynamodb.exceptions.TransactionCanceledException as error:
            # An equal or a later end stays: then the day's seal alone is missing.
            last = self.last()
            if last is None or last.day < link.day:
                raise
            if last.day == link.day and last != link:
                raise Conflict(f"the end of the chain is {last.sha256}, the bucket has {link.sha256}") from error
            self.seal(link.day, seal)

    def last(self) -> DigestRef | None:
        """Read the newest digest of the chain, strongly consistent."""
        item = self.dynamodb.get_item(TableName=self.table, Key=_LAST, ConsistentRead=True).get("Item")
        return DigestRef(item["day"]["S"], item["key"]["S"], item["sha256"]["S"]) if item else None

    def events_to(self) -> str:
        """Read the last day of arrival with covered events; empty if no day is covered."""
        item = self.dynamodb.get_item(TableName=self.table, Key=_LAST, ConsistentRead=True).get("Item", {})
        return item["events_to"]["S"] if "events_to" in item else ""

    def put_last(self, link: DigestRef, events_to: str) -> None:
        """Make the digest the newest of the chain, with events up to `events_to`, unless a later day's digest is."""
        condition = "attribute_not_exists(pk) OR #day <= :day"
        values: Item = {":day": {"S": link.day}}
        put_if(self.dynamodb, self.table, _end(link, events_to), condition, values, {"#day": "day"})


def _seal_key(day: str) -> Item:
    return {"pk": {"S": f"DAY#{day}"}, "sk": {"S": "SEAL"}}


def _seal_item(day: str, seal: Seal) -> Item:
    return {**_seal_key(day), **to_item(asdict(seal))}


def _end(link: DigestRef, events_to: str) -> Item:
    return {**_LAST, **to_item({**asdict(link), "events_to": events_to})}
