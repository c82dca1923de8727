"""What of one root is not published: its rows first, then what has left the table.

A record goes from the table to the staged images, if it expires unread, and from both into an object. It is looked for
in this order, so that whatever moves meanwhile is seen at the one place or at the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lineage.aws.items import GET_KEYS_MAX, batch_get, chunks
from lineage.records.expired import MARGIN_S, surely_loaded_before
from lineage.records.items import expiry_of, loaded_at_of, parse_item
from lineage.records.pointers import ArchiveObject, Pointer
from lineage.records.record import LineageRecord, keep_first
from lineage.records.root_records import Sources
from lineage.records.search.criteria import Found, Horizon, LivePlace, Question, Step
from lineage.records.table import Page
from lineage_model.ids import sha_of

if TYPE_CHECKING:
    from lineage.aws.items import Item

# Rows of a root that are read at once.
_ROWS_AT_ONCE = 1000
# Records that are read of an object, and of what is staged of a root: of one among many that are read side by side, and
# of one alone.
RECORDS_MAX = 20_000
RECORDS_MAX_ALONE = 100_000


class RootSearch:
    """The unpublished records of one root. `horizon` says what is published, None: nothing is.

    What is staged, or an object, of more than `records_max` records is left out (`truncated`); where that is the object
    that is published, whose nodes tell what is, more is told than is unpublished.
    """

    def __init__(
        self, sources: Sources, question: Question, horizon: Horizon | None, root_id: str, *, records_max: int
    ) -> None:
        self._sources, self._question, self._horizon, self._root_id = sources, question, horizon, root_id
        self._records_max = records_max
        self._pointer: Pointer | None = None
        self._published: set[str] | None = None
        self._truncated = False

    def steps(self, place: LivePlace) -> Iterator[Step[LivePlace]]:
        """What it holds, in two parts, each by node (the rows of an action: in no order); a place after each page."""
        if place.part == "done":
            return
        told: set[str] = set()
        place = replace(place, root_sha=sha_of(self._root_id))
        if place.part == "rows":
            for page in self._pages(place.node):
                for found in self._rows(page):
                    told.add(found.record.node_id)
                    yield Step(replace(place, node=found.record.node_id), found)
                if page.last_key is not None:
                    yield Step(replace(place, node=page.last_key["node_id"]["S"]))
            place = replace(place, part="rest", node="")
        yield from self._rest(place, told)
        yield Step(replace(place, part="done", node="", truncated=place.truncated or self._truncated))

    def is_published(self, item: Item) -> bool:
        """Whether an object of the horizon's day or before holds the item's node."""
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
        table, root_id, action = self._sources.table, self._root_id, self._question.action
        if self._question.node is not None:
            item = None if after else table.find(root_id, self._question.node)
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

    def _rows(self, page: Page) -> Iterator[Found]:
        for item in page.items:
            record = parse_item(item)
            if self._question.matches(record) and not self.is_published(item):
                yield Found(record, expiry_of(item), None)

    def _rest(self, place: LivePlace, told: set[str]) -> Iterator[Step[LivePlace]]:
        """What is staged or in a later object; a node that still has a row was told as that, or is not asked for."""
        rest = self._gone()
        nodes = sorted(node for node in rest if node > place.node and node not in told)
        place = replace(place, truncated=place.truncated or self._truncated)
        for some in chunks(nodes, GET_KEYS_MAX):
            in_table = self._in_table(some)
            for node in some:
                if node not in in_table:
                    yield Step(replace(place, node=node), Found(rest[node], None, None))

    def _in_table(self, nodes: Sequence[str]) -> set[str]:
        table = self._sources.table
        keys: list[Item] = [{"root_id": {"S": self._root_id}, "node_id": {"S": node}} for node in nodes]
        return {item["node_id"]["S"] for item in batch_get(table.dynamodb, table.name, keys)}

    def _gone(self) -> dict[str, LineageRecord]:
        """The records in question that are staged, or in an object that is not published; by node."""
        found: dict[str, LineageRecord] = {}
        for count, (_, record) in enumerate(self._sources.staged.staged(self._root_id)):
            if count == self._records_max:
                self._truncated = True
                break
            _add(found, record)
        self._pointer = self._sources.pointers.find(self._root_id)
        if self._pointer is not None and (self._horizon is None or self._pointer.day > self._horizon.day):
            self._truncated |= self._pointer.object.records > self._records_max
            for record in self._records_of(self._pointer.object):
                _add(found, record)
        asked = {node: record for node, record in found.items() if self._question.matches(record)}
        if not asked or self._pointer is None or self._horizon is None:
            return asked
        published = self._published_nodes(self._pointer, self._horizon)
        return {node: record for node, record in asked.items() if node not in published}

    def _published_nodes(self, pointer: Pointer, horizon: Horizon) -> set[str]:
        """The nodes of the root's last object of the horizon's day or before."""
        if self._published is None:
            one: ArchiveObject | None = pointer.object
            while one is not None and one.day > horizon.day:
                one = self._sources.pointers.find_object(one.base) if one.base else None
            self._published = {record.node_id for record in self._records_of(one)} if one else set()
        return self._published

    def _records_of(self, one: ArchiveObject) -> Iterator[LineageRecord]:
        """The records of an object, none of one that is too large."""
        return self._sources.archive.records(one.key) if one.records <= self._records_max else iter(())


def _add(found: dict[str, LineageRecord], record: LineageRecord) -> None:
    known = found.setdefault(record.node_id, record)
    if known != record:
        found[record.node_id] = keep_first(known, record).record
