"""The catalogue: names that lists and searches look through, as sets that only grow.

A catalogue is one partition: a snapshot of the sets, and a row for each value added since, a *change*. A change is
written in the transaction that creates the named thing (or before it, where a superset does no harm), and is equal
whoever writes it. Compaction moves changes into the snapshot, in one transaction. A reader reads the changes first:
a change that is gone by then is in the snapshot read afterwards. Sets are merged and never lose a value, so order,
repetition and the death of a loader do not matter.

Reading costs one query of about `CHANGES_MAX` rows and one row, however many names there are.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import orjson

from lineage.graph.facts import text_of
from lineage.graph.table import SIDES_MAX, GraphTable, Key, Row, RowPage, RowQuery, Swap
from lineage_model.ids import DatasetId, JobId

# By the name of a set, its values in order.
Sets: TypeAlias = Mapping[str, Sequence[str]]
# A set of names: namespaces, jobs or datasets that are listed, and those of them that may be hidden.
NameSet: TypeAlias = Literal[
    "namespaces", "jobs", "datasets", "namespaces_to_check", "jobs_to_check", "datasets_to_check"
]

NAMES = "NAMES"
# By dataset name, the columns that a schema or column lineage ever named.
COLUMNS = "COLUMNS"
# By namespace, the tags that its jobs, datasets and fields ever had.
TAGS = "TAGS"
# By namespace, the sources that its datasets ever named; those that the API described are in none.
SOURCES = "SOURCES"
CATALOGUES = frozenset({NAMES, COLUMNS, TAGS, SOURCES})
SNAPSHOT = "SNAPSHOT"
_CHANGE = "+"
# Changes beside the snapshot: every list reads each of their rows.
CHANGES_MAX = 100
# The next loader goes on with a backlog of more transactions.
_ROUNDS_MAX = 100


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The sets of a catalogue; `truncated` if there were more changes than one query reads."""

    sets: Sets
    truncated: bool = False

    def __getitem__(self, name: str) -> Sequence[str]:
        return self.sets.get(name, ())

    def under(self, name: str, prefix: str) -> Sequence[str]:
        """Return the values of a set that begin with a prefix, in order."""
        values, length = self[name], len(prefix)
        low = bisect_left(values, prefix)
        return values[low : bisect_right(values, prefix, lo=low, key=lambda value: value[:length])]

    def has(self, name: str, value: str) -> bool:
        """True if a set has a value."""
        return _has(self[name], value)


def change(pk: str, name: str, values: Iterable[str]) -> Row:
    """Return the row that adds values to a set."""
    data = {"set": name, "values": sorted(values)}
    return Row(pk, _CHANGE + hashlib.sha256(orjson.dumps(data, option=orjson.OPT_SORT_KEYS)).hexdigest(), data)


def named(kind: NameSet, name: str | JobId | DatasetId) -> Row:
    """Return the row that adds a namespace, a job or a dataset to a set of names."""
    return change(NAMES, kind, [name if isinstance(name, str) else text_of(name)])


def read_catalogue(pk: str, table: GraphTable) -> Catalogue:
    """Read a catalogue with its latest changes."""
    changes, snapshot = _read(pk, table)
    return Catalogue(_merged(snapshot, changes), changes.more)


def compact(pk: str, table: GraphTable, *, changes_max: int = CHANGES_MAX) -> None:
    """Move changes into the snapshot until at most `changes_max` are left; stop if another loader is compacting."""
    for _ in range(_ROUNDS_MAX):
        changes = table.query([RowQuery(pk, prefix=_CHANGE, limit=changes_max + SIDES_MAX)])[0]
        if len(changes.rows) <= changes_max:
            return
        snapshot = table.get([_snapshot_key(pk)]).get(_snapshot_key(pk))
        data = dict(sorted(_merged(snapshot, changes).items()))
        row = Row(*_snapshot_key(pk), {"sets": data}, snapshot.version if snapshot else 0)
        if not table.swap([Swap(row, deletes=tuple(change_row.key for change_row in changes.rows[:SIDES_MAX]))])[0]:
            return


def _read(pk: str, table: GraphTable) -> tuple[RowPage, Row | None]:
    changes = table.query([RowQuery(pk, prefix=_CHANGE)])[0]
    return changes, table.get([_snapshot_key(pk)]).get(_snapshot_key(pk))


def _snapshot_key(pk: str) -> Key:
    return pk, SNAPSHOT


def _merged(snapshot: Row | None, changes: RowPage) -> Sets:
    sets: dict[str, Sequence[str]] = dict(snapshot.data["sets"]) if snapshot else {}
    added: dict[str, set[str]] = {}
    for row in changes.rows:
        added.setdefault(row.data["set"], set()).update(row.data["values"])
    for name, values in added.items():
        stored = sets.get(name, ())
        new = [value for value in values if not _has(stored, value)]
        sets[name] = sorted([*stored, *new]) if new else stored
    return sets


def _has(values: Sequence[str], value: str) -> bool:
    """True if values in order have this one."""
    place = bisect_left(values, value)
    return place < len(values) and values[place] == value
