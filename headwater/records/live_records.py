"""Queries of the live records: a page of a root, and a node's path in its roots. Reads are bounded, never a scan.

Expired rows before their removal by TTL are hidden here; a trace still sees them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwater.records.record import LineageRecord
from headwater.records.root_records import RecordSources
from headwater.records.table import Page, RecordsTable, expiry_of, parse_item
from headwater.walk import Walked, walk
from headwater_model.errors import NotFound, print_value

if TYPE_CHECKING:
    from headwater.aws.items import Item

# Bounds of a query: requests to DynamoDB for a page, rows of a node's roots, single rows of a path.
_PAGES_MAX = 10
_ROWS_MAX = 10_000
_SINGLES_MAX = 100
# Roots in which a node id is looked up.
MATCHES_MAX = 10
_ROWS_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class LiveRecord:
    """A record that has not expired, and the time of its expiry (seconds since 1970)."""

    record: LineageRecord
    ttl_expiry: int


@dataclass(frozen=True, slots=True)
class LivePage:
    """A page of live records; the next page begins after the node id `after`, None at the end."""

    records: Sequence[LiveRecord]
    after: str | None


@dataclass(frozen=True, slots=True)
class NodePath:
    """The path of a node in its root, down to the node; `descendants` are nearest first.

    `missing` is the parent without a live record, `cycle` the nodes of a cycle at the start of the path. `truncated`:
    the query hit a bound, and nodes may be left out.
    """

    path: Sequence[LiveRecord]
    descendants: Sequence[LiveRecord]
    truncated: bool
    missing: str | None = None
    cycle: Sequence[str] = ()

    @property
    def node(self) -> LiveRecord:
        """The node itself."""
        return self.path[-1]


@dataclass(frozen=True, slots=True)
class NodePaths:
    """The paths of a node in each of its roots; `truncated` if it is in more than `MATCHES_MAX` roots."""

    paths: Sequence[NodePath]
    truncated: bool


def is_known(root_id: str, sources: RecordSources) -> bool:
    """True if the root, such as `"file-1"`, has rows (expired ones too), an archive object, or staged images."""
    if sources.table.page_of_root(root_id, limit=1).items or sources.pointers.find(root_id) is not None:
        return True
    return next(sources.staged.read(root_id), None) is not None


def unknown_root(root_id: str) -> NotFound:
    """Build the error for an unknown root: `root_id: no root 'file-1' is known`."""
    return NotFound(f"root_id: no root {print_value(root_id)} is known")


def live_page(
    table: RecordsTable,
    root_id: str,
    *,
    action: str | None = None,
    prefix: str | None = None,
    after: str | None,
    limit: int,
    now_s: int,
) -> LivePage:
    """Read up to `limit` live records of a root, by node id, or of one action (in no order).

    `prefix` is the beginning of node ids.

    After many expired rows, a page before the last may hold fewer records.
    """

    def read(start: Item | None, size: int) -> Page:
        return table.page_of_root(root_id, action=action, prefix=prefix, start=start, limit=size)

    start: Item | None = None
    if after is not None:
        # A prefix is a condition of the table's own key, an action alone of the index.
        of_index: Item = {"action_taken": {"S": action}} if action is not None and prefix is None else {}
        start = {"root_id": {"S": root_id}, "node_id": {"S": after}, **of_index}
    # A row above the limit shows that there are more.
    rows = _live_rows(read, start, limit + 1, now_s)
    if len(rows.items) > limit:
        rows = Page(rows.items[:limit], rows.items[limit - 1])
    return LivePage([_live(item) for item in rows.items], rows.last_key["node_id"]["S"] if rows.last_key else None)


def _live_rows(read: Callable[[Item | None, int], Page], start: Item | None, rows_min: int, now_s: int) -> Page:
    """Read at least `rows_min` live items, or all within `_PAGES_MAX` requests, and the key of the next page."""
    items: list[Item] = []
    for _ in range(_PAGES_MAX):
        page = read(start, max(rows_min - len(items), _ROWS_AT_ONCE))
        items += [item for item in page.items if expiry_of(item) > now_s]
        start = page.last_key
        if start is None or len(items) >= rows_min:
            break
    return Page(items, start)


def find_paths(
    table: RecordsTable, node_id: str, *, now_s: int, covers_root: Callable[[str], bool] = lambda _: True
) -> NodePaths:
    """Find the path of a live node, `"file-7"`, in each of its roots within the caller's rights, by root id."""

    def read(start: Item | None, size: int) -> Page:
        page = table.page_of_node(node_id, start=start, limit=size)
        return Page([item for item in page.items if covers_root(item["root_id"]["S"])], page.last_key)

    rows = _live_rows(read, None, MATCHES_MAX + 1, now_s)
    matches = sorted((_live(item) for item in rows.items), key=lambda match: match.record.root_id)
    listed = matches[:MATCHES_MAX]
    places = [_place(table, match, rows_max=_ROWS_MAX // len(listed), now_s=now_s) for match in listed]
    return NodePaths(places, truncated=len(matches) > MATCHES_MAX or rows.last_key is not None)


def _place(table: RecordsTable, node: LiveRecord, *, rows_max: int, now_s: int) -> NodePath:
    rows, all_read = _rows_of_root(table, node.record.root_id, rows_max, now_s)
    rows.setdefault(node.record.node_id, node)
    singles = iter(range(0 if all_read else _SINGLES_MAX))

    def find(node_id: str) -> LiveRecord | None:
        if node_id in rows or next(singles, None) is None:
            return rows.get(node_id)
        item = table.find(node.record.root_id, node_id)
        return _live(item) if item and expiry_of(item) > now_s else None

    path, missing, cycle = path_to(node, find)
    return NodePath(path, descendants_of(node, rows), truncated=not all_read, missing=missing, cycle=cycle)


def _rows_of_root(table: RecordsTable, root_id: str, rows_max: int, now_s: int) -> tuple[dict[str, LiveRecord], bool]:
    """Read the live rows among the root's first `rows_max`, by node id, and True if the root has no more."""
    rows: dict[str, LiveRecord] = {}
    start: Item | None = None
    left = rows_max
    while left > 0:
        page = table.page_of_root(root_id, start=start, limit=left)
        rows.update((item["node_id"]["S"], _live(item)) for item in page.items if expiry_of(item) > now_s)
        left -= len(page.items)
        start = page.last_key
        if start is None:
            return rows, True
    return rows, False


def path_to(
    node: LiveRecord, find: Callable[[str], LiveRecord | None]
) -> tuple[list[LiveRecord], str | None, list[str]]:
    """Build the path from a start down to the node, with the parent unknown to `find`, and the cycle above, if any.

    Without a record of the root, a record with the root as parent starts the tree.
    """
    upward = [node]
    seen = {node.record.node_id: 0}
    while upward[-1].record.node_id != node.record.root_id:
        parent_id = upward[-1].record.parent_id
        if parent_id in seen:
            return upward[::-1], None, [step.record.node_id for step in upward[seen[parent_id] :]][::-1]
        parent = find(parent_id)
        if parent is None:
            return upward[::-1], None if parent_id == node.record.root_id else parent_id, []
        seen[parent_id] = len(upward)
        upward.append(parent)
    return upward[::-1], None, []


def descendants_of(node: LiveRecord, rows: Mapping[str, LiveRecord]) -> list[LiveRecord]:
    """List every node below this node among the rows, nearest first, then by node id, each once."""
    children: dict[str, list[str]] = {}
    for row in rows.values():
        # The root has no parent, whatever its record says.
        if row.record.node_id != row.record.root_id:
            children.setdefault(row.record.parent_id, []).append(row.record.node_id)
    below = walk(
        [node.record.node_id],
        lambda level, _: [child for parent in level for child in children.get(parent, ())],
        into=Walked(len(rows) + 1),
    )
    return [rows[node_id] for node_id in below.hops if node_id != node.record.node_id]


def _live(item: Item) -> LiveRecord:
    return LiveRecord(parse_item(item), expiry_of(item))
