"""The two times of a dataset: its last write by a run that did not fail, and the start of the last run to read it."""

from __future__ import annotations

from collections.abc import Sequence

from headwater.facts.keys import dataset_pk
from headwater.facts.table import RowPage, RowQuery
from headwater.queries.results.entities import DatasetTimes
from headwater.queries.view import GraphView, ResolvedDataset
from headwater.queries.view.written_versions import VersionQuery, newest_of_both
from headwater_model.ids import DatasetId

# Rows of the last reads: a JobEvent is no read.
_READS = 4


def times_of(groups: Sequence[ResolvedDataset], view: GraphView) -> dict[DatasetId, DatasetTimes]:
    """Read the times of datasets, by primary name: two queries for each name, and the facts of the last writers."""
    reads = [query for group in groups for query in _reads_of(group, view.at or "~")]
    pages = dict(zip(reads, view.query(reads), strict=True)) if reads else {}
    written = last_written(groups, view)
    return {
        group.primary: DatasetTimes(
            written.get(group.primary),
            max(filter(None, (_start(pages[query]) for query in _reads_of(group, view.at or "~"))), default=None),
        )
        for group in groups
    }


def last_written(groups: Sequence[ResolvedDataset], view: GraphView) -> dict[DatasetId, str]:
    """Find each dataset's last write, `{dataset: "2026-11-20T..."}`, by primary name, without unwritten datasets."""
    queries = [VersionQuery(group, "VERSION", view.at or "~", lambda version: version.counts) for group in groups]
    versions = newest_of_both(queries, view) if queries else []
    return {group.primary: version.last for group, version in zip(groups, versions, strict=True) if version}


def _reads_of(group: ResolvedDataset, high: str) -> list[RowQuery]:
    names = group.names if group.facts.first_read else ()
    return [
        RowQuery(dataset_pk(name), low="FORWARD#", high=f"FORWARD#{high}", newest_first=True, limit=_READS)
        for name in names
    ]


def _start(page: RowPage) -> str | None:
    return next((row.sk.split("#")[1] for row in page.rows if not row.data.get("declared")), None)
