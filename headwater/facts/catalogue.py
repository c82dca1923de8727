"""The catalogue: the names in lists, as sets that only grow.

A catalogue is a few partitions. Each has a snapshot of its sets, and a row for each value added since, a *change*:

    NAMES#<shard>  +<hash>        {"set": "jobs", "values": [<job>]}                      a change
    NAMES#<shard>  SNAPSHOT       {"sets": {...}, "parts": {<part>: <size>}, "replaced": {<part>: <time>}}
    NAMES#<shard>  PART#<n>#<h>   {"sets": {...}}                                         older values

A change is written after the facts of the named thing, or before them, where a superset does no harm. It is
equal whoever writes it, and its content decides its partition. Compaction adds a partition's changes to its snapshot,
then removes them. Many new changes go into the snapshot unwritten. A reader reads the changes first: a change removed
by then is in the snapshot read afterwards. Sets are merged and never lose a value, so order, repetition and the death
of a loader do not matter.

The snapshot holds the youngest values, and names the *parts* with the older values. A part is never changed: parts of
about the same size are replaced by their union, like levels of a log-structured merge tree. So a value is written a few
times, however many there are, and a process reads a part once.

A read costs, for each partition, a query of about `CHANGES_MAX` rows, a row, and the parts new to the process: all
partitions in the same rounds.
"""

from __future__ import annotations

import hashlib
import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Literal, NamedTuple, TypeAlias

import orjson

from headwater.facts.facts import text_of
from headwater.facts.table import GraphReader, GraphTable, Key, Row, RowQuery, Swap
from headwater_model.errors import Unavailable
from headwater_model.ids import DatasetId, JobId

# By the name of a set, its values in order.
Sets: TypeAlias = Mapping[str, Sequence[str]]
# A set of names: the listed namespaces, jobs or datasets, and the ones among them that may be hidden.
NameSet: TypeAlias = Literal[
    "namespaces", "jobs", "datasets", "namespaces_to_check", "jobs_to_check", "datasets_to_check"
]

NAMES = "NAMES"
# By namespace, the tags of its jobs, datasets and fields, now or before.
TAGS = "TAGS"
# By namespace, the sources named by its datasets; sources described by the API are in none.
SOURCES = "SOURCES"
# DynamoDB takes 1,000 write units a second of a partition, and a name costs three, its compaction included.
_NAME_SHARDS = 8
_PARTITIONS: Mapping[str, Sequence[str]] = {
    NAMES: [f"{NAMES}#{shard}" for shard in range(_NAME_SHARDS)],
    TAGS: [TAGS],
    SOURCES: [SOURCES],
}
# All catalogues' partitions.
PARTITIONS = frozenset(chain.from_iterable(_PARTITIONS.values()))
SNAPSHOT = "SNAPSHOT"
_CHANGE = "+"
_PART = "PART#"
# Changes beside the snapshot of a partition: each list reads their rows.
CHANGES_MAX = 16
# Values of the snapshot itself: each list reads them, too.
YOUNG_MAX = 64
# A part of as many values (about 100 KB, compressed) is replaced no more.
PART_MAX = 16_000
# A loader leaves a longer backlog to the next loader.
_ROUNDS_MAX = 100
# Replaced parts stay for readers of the earlier snapshot: for longer than any function runs (15 minutes).
_REPLACED_KEPT_S = 1_000
# Changes moved by a compaction of a partition, and old parts removed by it.
_MOVED_MAX = 200
_REMOVED_MAX = 10


@dataclass(frozen=True)
class Catalogue:
    """The sets of a catalogue; `truncated` if a query did not read all changes. Requests share it."""

    sets: Sets
    truncated: bool = False
    _members: dict[str, frozenset[str]] = field(default_factory=dict, repr=False, compare=False)

    def __getitem__(self, name: str) -> Sequence[str]:
        return self.sets.get(name, ())

    def under(self, name: str, prefix: str) -> Sequence[str]:
        """List the values of a set with a prefix, in order."""
        values, length = self[name], len(prefix)
        low = bisect_left(values, prefix)
        return values[low : bisect_right(values, prefix, lo=low, key=lambda value: value[:length])]

    def has(self, name: str, value: str) -> bool:
        """True if a set has a value."""
        values = self[name]
        position = bisect_left(values, value)
        return position < len(values) and values[position] == value

    def members(self, name: str) -> frozenset[str]:
        """Hash a set for many look-ups; for a few, `has` is enough."""
        if name not in self._members:
            self._members[name] = frozenset(self[name])
        return self._members[name]


@dataclass(frozen=True, slots=True)
class _Latest:
    """A catalogue as this process read it last, from a state of its rows; `parts` are the parts of its snapshots."""

    state: Sequence[tuple[bytes, tuple[str, ...], bool]]
    catalogue: Catalogue
    parts: Mapping[Key, Sets]


# By catalogue. Changes and parts are named by hashes of their content, so rows of another table never match ours.
_LATEST: dict[str, _Latest] = {}


def added_names_row(catalogue: str, name: str, values: Iterable[str]) -> Row:
    """Make the row that adds values to a set of a catalogue."""
    data = {"set": name, "values": sorted(values)}
    content = hashlib.sha256(orjson.dumps(data, option=orjson.OPT_SORT_KEYS)).hexdigest()
    partitions = _PARTITIONS[catalogue]
    return Row(partitions[int(content[-4:], 16) % len(partitions)], _CHANGE + content, data)


def named(kind: NameSet, name: str | JobId | DatasetId) -> Row:
    """Make the row that adds a namespace, a job or a dataset to a set of names."""
    return added_names_row(NAMES, kind, [name if isinstance(name, str) else text_of(name)])


def read_catalogue(catalogue: str, table: GraphReader) -> Catalogue:
    """Read a catalogue with its latest changes; raise `Unavailable` if parts were replaced while the reader slept."""
    partitions = _PARTITIONS[catalogue]
    changes = table.query([RowQuery(pk, prefix=_CHANGE) for pk in partitions])
    snapshots = _snapshots(partitions, table)
    state = [
        (orjson.dumps(snapshot.data), tuple(row.sk for row in page.rows), page.more)
        for snapshot, page in zip(snapshots, changes, strict=True)
    ]
    latest = _LATEST.get(catalogue)
    if latest is None or latest.state != state:
        keys = [(snapshot.pk, sk) for snapshot in snapshots for sk in snapshot.data.get("parts", ())]
        parts = _read_parts(catalogue, keys, table, latest.parts if latest else {})
        young = [snapshot.data.get("sets", {}) for snapshot in snapshots]
        added = [_added(row) for page in changes for row in page.rows]
        united = Catalogue(_united([*parts.values(), *young, *added]), any(page.more for page in changes))
        _LATEST[catalogue] = latest = _Latest(state, united, parts)
    return latest.catalogue


def _snapshots(partitions: Sequence[str], table: GraphReader) -> list[Row]:
    keys = [(pk, SNAPSHOT) for pk in partitions]
    rows = table.get(keys)
    return [rows.get(key, Row(*key)) for key in keys]


def compact(
    names: Mapping[str, Iterable[Row]],
    table: GraphTable,
    *,
    changes_max: int = CHANGES_MAX,
    now: Callable[[], float] = time.time,
) -> None:
    """Write these changes by partition; move changes into the snapshots until each partition has `changes_max`.

    A change that moves at once is not written. A partition is left to a loader that compacts it already.
    """
    for _ in range(_ROUNDS_MAX):
        queries = [RowQuery(pk, prefix=_CHANGE, limit=changes_max + _MOVED_MAX) for pk in sorted(names)]
        stored = {row.key: row for page in (table.query(queries) if queries else ()) for row in page.rows}
        new = {row.key: row for rows in names.values() for row in rows if row.key not in stored}
        changes = {pk: list[Row]() for pk in sorted(names)}
        for (pk, _), row in sorted((stored | new).items()):
            changes[pk].append(row)
        many = {pk: rows[:_MOVED_MAX] for pk, rows in changes.items() if len(rows) > changes_max}
        moves = [_move(many[snapshot.pk], snapshot, table, int(now())) for snapshot in _snapshots(list(many), table)]
        written = table.swap([move.swap for move in moves]) if moves else []
        names = {pk: changes[pk][_MOVED_MAX:] for pk, done in zip(many, written, strict=True) if done}
        table.put(row for row in new.values() if row.pk not in names)
        table.remove(key for move in moves if move.swap.row.pk in names for key in move.gone if key not in new)
        if not names:
            return
    table.put(chain.from_iterable(names.values()))


class _Move(NamedTuple):
    """The swap of a snapshot, and the rows to remove after it."""

    swap: Swap
    gone: Sequence[Key]


def _move(changes: Sequence[Row], snapshot: Row, table: GraphTable, now_s: int) -> _Move:
    """Move changes into the snapshot, and its young values, if they are many, into a part."""
    pk, data = snapshot.pk, snapshot.data
    young = _united([data.get("sets", {}), *map(_added, changes)])
    # The number of values of each part, the oldest first; the time when each part was replaced.
    parts: dict[str, int] = dict(data.get("parts", {}))
    replaced: dict[str, int] = dict(data.get("replaced", {}))
    puts: tuple[Row, ...] = ()
    if _size(young) > YOUNG_MAX:
        merged = _small_parts(parts, _size(young))
        sets = _united([*_read_parts(pk, [(pk, sk) for sk in merged], table, {}).values(), young])
        # The snapshot's version is new, and so is the name of the part.
        content = hashlib.sha256(orjson.dumps(sets, option=orjson.OPT_SORT_KEYS)).hexdigest()
        part = Row(pk, f"{_PART}{snapshot.version + 1}#{content[:16]}", {"sets": sets})
        parts = {**{sk: size for sk, size in parts.items() if sk not in merged}, part.sk: _size(sets)}
        replaced |= dict.fromkeys(merged, now_s)
        young, puts = {}, (part,)
    removed = [sk for sk, time_s in replaced.items() if time_s < now_s - _REPLACED_KEPT_S][:_REMOVED_MAX]
    remaining = {sk: time_s for sk, time_s in replaced.items() if sk not in removed}
    moved = {"sets": dict(sorted(young.items())), "parts": parts, "replaced": remaining}
    gone = [*(row.key for row in changes), *((pk, sk) for sk in removed)]
    return _Move(Swap(Row(pk, SNAPSHOT, moved, snapshot.version), puts), gone)


def _small_parts(parts: Mapping[str, int], size: int) -> list[str]:
    """List the youngest parts to merge: each is no larger than the merged sum before it, as digits of a counter carry.

    >>> _small_parts({"a": 8_000, "b": 2_000, "c": 1_000}, 1_050)
    ['c', 'b']
    >>> _small_parts({"a": 8_000, "b": 2_000}, 1_050)
    []
    """
    small = []
    for sk, values in reversed(list(parts.items())):
        if values > size or values >= PART_MAX:
            break
        small.append(sk)
        size += values
    return small


def _read_parts(catalogue: str, keys: Sequence[Key], table: GraphReader, known: Mapping[Key, Sets]) -> dict[Key, Sets]:
    """Read the parts of these keys; known parts are not read again."""
    new = [key for key in keys if key not in known]
    rows = table.get(new) if new else {}
    if len(rows) < len(new):
        raise Unavailable(f"parts of the catalogue {catalogue} were replaced while it was read: try again")
    return {key: known[key] if key in known else rows[key].data["sets"] for key in keys}


def _added(change_row: Row) -> Sets:
    return {change_row.data["set"]: change_row.data["values"]}


def _size(sets: Sets) -> int:
    return sum(map(len, sets.values()))


def _united(several: Iterable[Sets]) -> Sets:
    """Join the values of all sets, in order, each once."""
    by_name: dict[str, list[Sequence[str]]] = {}
    for sets in several:
        for name, values in sets.items():
            by_name.setdefault(name, []).append(values)
    return {
        name: lists[0] if len(lists) == 1 else list(dict.fromkeys(sorted(chain.from_iterable(lists))))
        for name, lists in by_name.items()
    }
