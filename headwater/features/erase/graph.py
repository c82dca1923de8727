"""The graph table after an erasure: the redacted log is replayed into a second table, then both are compared.

Rows are functions of the set of events, so the second table has every row of the remaining events. The comparison
copies rows with other content, then deletes rows without a counterpart. No event may be loaded meanwhile; readers go
on. Each step may be repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from headwater import settings
from headwater.aws.items import GET_KEYS_MAX, batch_get, batch_write, chunks
from headwater.events.naming import NamingRules
from headwater.facts.table import GraphTable, Row
from headwater.features.erase.roots import row_key
from headwater.features.erase.targets import Target
from headwater.loading.event_log import EventLog
from headwater.loading.replay import replay
from headwater.records.removals import delete_versions, list_versions
from headwater_model.errors import Unavailable

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import WriteRequestTypeDef

    from headwater.aws.items import Item

_PREFIXES = tuple(name for name in settings.GRAPH_PARTITIONS if name.endswith("#"))
_NAMES = frozenset(settings.GRAPH_PARTITIONS) - set(_PREFIXES)
# Partitions of features with names of jobs and datasets; a replay does not write them.
_LEDGERS = ("ALERT#", "DUE#")
_VERSION, _OBJECT = "version", "s3"
_PROGRESS = ("PROGRESS", "DAY")


@dataclass(slots=True)
class Synced:
    """The changes of a comparison: rows written, rows deleted."""

    written: int = 0
    deleted: int = 0


@dataclass(frozen=True, slots=True)
class Remake:
    """A replay of the log into a second table, with a row of progress; `note(text)` reports each day.

    A table of an earlier attempt is as good if it has the same `mark`: a hash of the tombstones.
    """

    log: EventLog
    rules: NamingRules
    mark: str
    note: Callable[[str], object]

    @property
    def second(self) -> GraphTable:
        """The second table."""
        table = self.log.table
        return GraphTable(table.dynamodb, f"{table.table}-erase", table.s3, table.bucket, table.sleep, kept=table.kept)

    def begin(self, *, anew: bool) -> None:
        """Create the second table, or go on with the table of an earlier attempt; never if the log changed: `anew`."""
        client, name = self.log.table.dynamodb, self.second.table
        if anew or self._progress().get("mark") != self.mark:
            self.drop()
        described = client.describe_table(TableName=self.log.table.table)["Table"]
        with suppress(client.exceptions.ResourceInUseException):
            client.create_table(
                TableName=name,
                KeySchema=described["KeySchema"],
                AttributeDefinitions=described["AttributeDefinitions"],
                BillingMode="PAY_PER_REQUEST",
            )
        client.get_waiter("table_exists").wait(TableName=name)

    def drop(self) -> None:
        """Delete the second table, if it exists."""
        client, name = self.log.table.dynamodb, self.second.table
        with suppress(client.exceptions.ResourceNotFoundException):
            client.delete_table(TableName=name)
            client.get_waiter("table_not_exists").wait(TableName=name)

    def _progress(self) -> Mapping[str, str]:
        """Read the last finished day and the mark; empty without a table."""
        client = self.log.table.dynamodb
        try:
            row = self.second.get([_PROGRESS]).get(_PROGRESS)
        except client.exceptions.ResourceNotFoundException:
            return {}
        return row.data if row else {}

    def replay(self, days: Sequence[str], *, again: bool = False) -> int:
        """Replay the events of these days of arrival; count the events. Finished days are left out unless `again`.

        Raises:
            Unavailable: an event cannot be replayed; `headwater replay` names the reason of each.
        """
        second, events = self.second, 0
        beside = EventLog(second, self.log.s3, self.log.bucket)
        done = "" if again else self._progress().get("to", "")
        for day in (day for day in days if day > done):
            for part in replay(self.log.keys_of(day), beside, self.rules):
                events += part.events
                if part.failed:
                    raise Unavailable(f"{len(part.failed)} events cannot be replayed: {part.failed[0]}")
            if not again:
                second.put([Row(*_PROGRESS, {"to": day, "mark": self.mark})])
            self.note(f"  {day}: {events:,} events")
        return events


@dataclass(frozen=True, slots=True)
class Comparison:
    """The graph table and the second table; `targets` are looked for in the partitions of features."""

    table: GraphTable
    second: GraphTable
    targets: Sequence[Target]
    now_s: int

    def sync(self) -> Synced:
        """Make the graph table's rows of events equal to the second table's."""
        synced = Synced()
        # Swapped rows name rows without a version, so they come last.
        for is_swapped in (False, True):
            items = (item for item in scan(self.second) if (_VERSION in item) == is_swapped and self._counts(item))
            for batch in chunks(items, GET_KEYS_MAX):
                synced.written += self._copy(batch)
        for batch in chunks(filter(self._may_go, scan(self.table)), GET_KEYS_MAX):
            synced.deleted += self._delete(batch)
        self._remove_objects()
        return synced

    def _remove_objects(self) -> None:
        """Remove the objects of large documents without a row; each swap of such a row left an object behind."""
        used = {item[_OBJECT]["S"] for item in scan(self.second) if _OBJECT in item}
        listed = list_versions(self.table.s3, self.table.bucket, settings.FACTS_PREFIX)
        for key in sorted({version["Key"] for version in listed} - used):
            delete_versions(self.table.s3, self.table.bucket, key)

    def _copy(self, items: Sequence[Item]) -> int:
        """Put the items with other content than in the graph table; count the puts."""
        stored = {_key_of(item): item for item in _get(self.table, items)}
        writes: list[WriteRequestTypeDef] = []
        for item in items:
            old = stored.get(_key_of(item), {})
            if _content(old) == _content(item):
                continue
            versions = [int(each[_VERSION]["N"]) for each in (old, item) if _VERSION in each]
            next_version: Item = {_VERSION: {"N": str(max(versions) + 1)}} if versions else {}
            writes.append({"PutRequest": {"Item": {**item, **next_version}}})
        batch_write(self.table.dynamodb, self.table.table, writes)
        return len(writes)

    def _delete(self, items: Sequence[Item]) -> int:
        """Delete the items without a counterpart; count the deletions."""
        known = {_key_of(item) for item in _get(self.second, items)}
        gone = [item for item in items if _key_of(item) not in known]
        batch_write(self.table.dynamodb, self.table.table, [{"DeleteRequest": {"Key": row_key(item)}} for item in gone])
        return len(gone)

    def _counts(self, item: Item) -> bool:
        """True for a row of events that has not expired."""
        expires_s = int(item[settings.EXPIRES_AT]["N"]) if settings.EXPIRES_AT in item else self.now_s
        return expires_s >= self.now_s and _is_of_events(item)

    def _may_go(self, item: Item) -> bool:
        return _is_of_events(item) or (item[settings.PK]["S"].startswith(_LEDGERS) and self._mentions(item))

    def _mentions(self, item: Item) -> bool:
        text = item.get("json", {}).get("S", "").encode()
        return any(all(orjson.dumps(name)[1:-1] in text for name in target.names) for target in self.targets)


def _is_of_events(item: Item) -> bool:
    pk = item[settings.PK]["S"]
    return pk in _NAMES or pk.startswith(_PREFIXES)


def scan(table: GraphTable) -> Iterator[Item]:
    """Yield all items of a table, strongly consistent, a page at a time."""
    pages = table.dynamodb.get_paginator("scan").paginate(TableName=table.table, ConsistentRead=True)
    return (item for page in pages for item in page["Items"])


def _get(table: GraphTable, items: Sequence[Item]) -> Sequence[Item]:
    return batch_get(table.dynamodb, table.table, list(map(row_key, items)))


def _key_of(item: Item) -> tuple[str, str]:
    return item[settings.PK]["S"], item[settings.SK]["S"]


def _content(item: Item) -> dict[str, Any]:
    return {name: value for name, value in item.items() if name != _VERSION}
