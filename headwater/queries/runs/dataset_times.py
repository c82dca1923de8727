"""The two times of a dataset: its last write by a run that did not fail, and the start of the last run to read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from headwater.facts.index_scan import read_run_facts, run_of, time_of
from headwater.facts.keys import dataset_pk, facts_key
from headwater.facts.run_reports import is_unverified, query_reports
from headwater.facts.table import RowPage, RowQuery
from headwater.queries.results.entities import DatasetTimes
from headwater.queries.view import GraphView, ResolvedDataset
from headwater.queries.view.written_versions import VersionQuery, newest_of_both
from headwater_model.ids import DatasetId, RunKey

# Rows of the last reads: a JobEvent is no read.
_READS = 4


def times_of(groups: Sequence[ResolvedDataset], view: GraphView) -> dict[DatasetId, DatasetTimes]:
    """Read the times of datasets, by primary name: two queries for each name, and the facts of the last writers."""
    reads = [query for group in groups for query in _reads_of(group, view.at or "~")]
    pages = dict(zip(reads, query_reports(reads, view), strict=True))
    running = {run_of(row) for page in pages.values() for row in page.rows if is_unverified(row)}
    # The facts come with a round for the writers.
    view.load(rows=map(facts_key, running))
    written = last_written(groups, view)
    facts = read_run_facts(running, view) if running else {}
    firsts = {run: facts[run].first if run in facts else None for run in running}
    starts = {query: _start(page, firsts) for query, page in pages.items()}
    return {
        group.primary: DatasetTimes(
            written.get(group.primary),
            max(filter(None, map(starts.get, _reads_of(group, view.at or "~"))), default=None),
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


def _start(page: RowPage, firsts: Mapping[RunKey, str | None]) -> str | None:
    """Find the start of the newest read; an unverified row counts if the run did start then."""
    reads = (row for row in page.rows if not row.data.get("declared"))
    return next((time_of(row) for row in reads if firsts.get(run_of(row), time_of(row)) == time_of(row)), None)
