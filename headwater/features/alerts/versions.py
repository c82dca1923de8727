"""Causes in the versions of a dataset: its schema changed, or its next version is late."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta, timezone
from itertools import pairwise

from headwater.facts.facts import is_dropped
from headwater.features.alerts.cause import Cause, Kind
from headwater.queries.runs.dataset_versions import KnownVersion, compare_schemas, read_versions
from headwater.queries.view import GraphView, ResolvedDataset
from headwater.queries.view.descriptions import is_temporary
from headwater_model.times import normalize

# Versions from which the next is expected, and the fewest intervals between them.
VERSIONS_MAX = 22
INTERVALS_MIN = 5
# The fewest intervals from the same weekday to count instead of all.
ALIKE_MIN = 3
# A version is late if it is overdue by a tenth of the longest interval, and by no less than half an hour.
SLACK = 10
SLACK_MIN = timedelta(minutes=30)


def read_good_versions(group: ResolvedDataset, view: GraphView) -> list[KnownVersion]:
    """Read the last good versions of a dataset, newest first; none if the dataset is gone."""
    if is_dropped(group.facts) or is_temporary(group.facts):
        return []
    page = read_versions(group, view, rows=VERSIONS_MAX + 1)
    return [version for version in page.versions if version.counts]


def find_schema_changes(group: ResolvedDataset, versions: Sequence[KnownVersion]) -> Iterator[Cause]:
    """Yield the changes of the schema between these versions, newest first: a cause for each change."""
    described = [version for version in versions if "schema" in version.facets]
    for after, before in pairwise(described):
        cause = _cause_of(group, before, after)
        if cause is not None:
            yield cause


def _cause_of(group: ResolvedDataset, before: KnownVersion, after: KnownVersion) -> Cause | None:
    """Make the cause of two successive schemas, named by its worst part; None if their columns are equal."""
    change = compare_schemas(before.facets, after.facets)
    if change is None:
        return None
    dropped, added = ([name for name, _ in fields] for fields in (change.dropped, change.added))
    kind: Kind = "ColumnDropped" if dropped else "ColumnRetyped" if change.retyped else "SchemaChanged"
    return Cause(
        kind=kind,
        node=group.primary,
        identity=["dropped", *dropped, "retyped", *map(" ".join, change.retyped), "added", *added],
        time=after.created,
        detail={
            "dropped": dropped,
            "retyped": [{"name": name, "from": old, "to": new} for name, old, new in change.retyped],
            "added": added,
            "run": after.run.id if after.run else None,
        },
        columns=[*dropped, *(name for name, *_ in change.retyped)],
        before=after.created,
    )


def find_due_time(group: ResolvedDataset, versions: Sequence[KnownVersion]) -> str | None:
    """Compute when the next version is late; None without enough history, or of a stream."""
    if group.facts.first_streamed:
        return None
    times = {version.created for version in versions[:VERSIONS_MAX] if version.run}
    due = due_after([datetime.fromisoformat(time[:26]).replace(tzinfo=timezone.utc) for time in sorted(times)])
    return normalize(due) if due else None


def due_after(moments: Sequence[datetime]) -> datetime | None:
    """Compute when the version after these is late; None for fewer than `INTERVALS_MIN` intervals between them.

    The next version is late after the longest interval since the last version, and a tenth of it (at least half an
    hour). Only intervals begun on the weekday of the last version count, if there are enough: a job with weekends off
    is late on a Tuesday, and not on a Sunday. The folder's README.md has the false alarms of the rule.

    >>> due_after([datetime(2026, 11, day) for day in (2, 3, 4, 5, 6, 7)])
    datetime.datetime(2026, 11, 8, 2, 24)
    """
    if len(moments) <= INTERVALS_MIN:
        return None
    intervals = [(earlier, later - earlier) for earlier, later in pairwise(moments)]
    alike = [interval for earlier, interval in intervals if earlier.weekday() == moments[-1].weekday()]
    longest = max(alike if len(alike) >= ALIKE_MIN else [interval for _, interval in intervals])
    return moments[-1] + longest + max(longest / SLACK, SLACK_MIN)


def find_late_version(group: ResolvedDataset, versions: Sequence[KnownVersion], now: str) -> Iterator[Cause]:
    """Yield the cause of a dataset whose next version is late at this time."""
    due = find_due_time(group, versions)
    if due is None or due > now:
        return
    last = max(version.created for version in versions if version.run)
    detail = {"lastWritten": last, "lateSince": due}
    yield Cause(kind="DatasetLate", node=group.primary, identity=[last], time=due, detail=detail)
