"""The unpublished records of a root: its rows first, then records that left the table.

A record moves from the table to the staged images, if it expires unread, and from both into an object. The search reads
in this order, so a moving record is seen before or after its move.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from headwater.aws.items import GET_KEYS_MAX, batch_get, chunks
from headwater.records.expired import MARGIN_S, surely_loaded_before
from headwater.records.pointers import ArchiveObject, LastArchive
from headwater.records.record import LineageRecord
from headwater.records.root_records import RecordSources, RootRecords
from headwater.records.search.criteria import Horizon, LiveCursor, SearchCriteria, SearchRecord, SearchStep
from headwater.records.table import Page, expiry_of, loaded_at_of, parse_item
from headwater_model.ids import sha256_hex

if TYPE_CHECKING:
    from headwater.aws.items import Item

# Rows of a root in a read.
_ROWS_AT_ONCE = 1000
# Records read of an object, and of a root's staged images: of many roots in parallel, and of a single root.
RECORDS_MAX = 20_000
RECORDS_MAX_ALONE = 100_000


class RootSearch:
    """The unpublished records of a root. `horizon` names the published days, None without any.

    Staged images, or an object, of more than `records_max` records are left out (`truncated`). The nodes of a published
    object of this size are unknown: its records may come as unpublished.
    """

    def __init__(
        self,
        sources: RecordSources,
        criteria: SearchCriteria,
        horizon: Horizon | None,
        root_id: str,
        *,
        records_max: int,
    ) -> None:
        self._sources, self._criteria, self._horizon, self._root_id = sources, criteria, horizon, root_id
        self._records_max = records_max
        self._pointer: LastArchive | None = None
        self._published: set[str] | None = None
        self._truncated = False

    def steps(self, place: LiveCursor) -> Iterator[SearchStep[LiveCursor]]:
        """Yield the root's records in two parts, each by node (rows of an action: in no order)."""
        if place.part == "done":
            return
        returned: set[str] = set()
        place = replace(place, root_sha=sha256_hex(self._root_id))
        if place.part == "rows":
            for page in self._pages(place.node):
                for match in self._rows(page):
                    returned.add(match.record.node_id)
                    yield SearchStep(replace(place, node=match.record.node_id), match)
                if page.last_key is not None:
                    yield SearchStep(replace(place, node=page.last_key["node_id"]["S"]))
            place = replace(place, part="rest", node="")
        yield from self._rest(place, returned)
        yield SearchStep(replace(place, part="done", node="", truncated=place.truncated or self._truncated))

    def is_published(self, item: Item) -> bool:
        """True if an object of a published day holds the item's node."""
        if self._horizon is None:
            return False
        if self._pointer is None:
            self._pointer = self._sources.pointers.find(self._root_id)
        loaded_at, pointer = loaded_at_of(item), self._pointer
        if pointer is None or ("loaded_at" in item and loaded_at > self._horizon.sealed_at + MARGIN_S):
            return False
        if pointer.day <= self._horizon.day and surely_loaded_before(loaded_at, pointer):
            return True
        return item["node_id"]["S"] in self._published_nodes(pointer, self._horizon)

    def _pages(self, after: str) -> Iterator[Page]:
        table, root_id, action = self._sources.table, self._root_id, self._criteria.action
        if self._criteria.node is not None:
            item = None if after else table.find(root_id, self._criteria.node)
            yield Page([item] if item else [], None)
            return
        start: Item | None = None
        if after:
            start = {"root_id": {"S": root_id}, "node_id": {"S": after}}
            start = start if action is None else {**start, "action_taken": {"S": action}}
        while True:
            page = table.page_of_root(root_id, action=action, start=start, limit=_ROWS_AT_ONCE, consistent=True)
            yield page
            if page.last_key is None:
                return
            start = page.last_key

    def _rows(self, page: Page) -> Iterator[SearchRecord]:
        for item in page.items:
            record = parse_item(item)
            if self._criteria.matches(record) and not self.is_published(item):
                yield SearchRecord(record, expiry_of(item), None)

    def _rest(self, place: LiveCursor, returned: set[str]) -> Iterator[SearchStep[LiveCursor]]:
        """Yield staged records and records of a later object; a node with a row belongs to the rows."""
        rest, table = self._collect_gone(), self._sources.table
        nodes = sorted(node for node in rest if node > place.node and node not in returned)
        place = replace(place, truncated=place.truncated or self._truncated)
        for batch in chunks(nodes, GET_KEYS_MAX):
            keys: list[Item] = [{"root_id": {"S": self._root_id}, "node_id": {"S": node}} for node in batch]
            in_table = {item["node_id"]["S"] for item in batch_get(table.dynamodb, table.name, keys)}
            for node in batch:
                if node not in in_table:
                    yield SearchStep(replace(place, node=node), SearchRecord(rest[node], None, None))

    def _collect_gone(self) -> dict[str, LineageRecord]:
        """Collect the matching records, by node, of staged images and of an unpublished object."""
        gone = RootRecords(self._root_id, None)
        staged = [record for _, record in islice(self._sources.staged.read(self._root_id), self._records_max + 1)]
        self._truncated |= len(staged) > self._records_max
        gone.add_all(staged[: self._records_max])
        self._pointer = self._sources.pointers.find(self._root_id)
        if self._pointer is not None and (self._horizon is None or self._pointer.day > self._horizon.day):
            self._truncated |= self._pointer.object.records > self._records_max
            gone.add_all(self._records_of(self._pointer.object))
        matching = {node: record for node, record in gone.records.items() if self._criteria.matches(record)}
        if not matching or self._pointer is None or self._horizon is None:
            return matching
        published = self._published_nodes(self._pointer, self._horizon)
        return {node: record for node, record in matching.items() if node not in published}

    def _published_nodes(self, pointer: LastArchive, horizon: Horizon) -> set[str]:
        """List the nodes of the root's last published object."""
        if self._published is None:
            trace_object = self._sources.pointers.find_until(pointer.object, horizon.day)
            self._published = {record.node_id for record in self._records_of(trace_object)} if trace_object else set()
        return self._published

    def _records_of(self, trace_object: ArchiveObject) -> Iterator[LineageRecord]:
        """Read the records of an object, or nothing if it is too large."""
        return (
            self._sources.archive.records(trace_object.key) if trace_object.records <= self._records_max else iter(())
        )
