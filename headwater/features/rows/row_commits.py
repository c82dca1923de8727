"""The commits that made a row and changed it last: a few index rows, by the row's id and its sequence number."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from headwater.facts.facts import RunFacts
from headwater.facts.index_scan import IndexScan, end_of, first_of_groups, run_of, time_of
from headwater.facts.job_nodes import summarize_run
from headwater.facts.keys import dataset_pk
from headwater.facts.table import Key, Row
from headwater.features.rows.row_ids import RowIds, changes_prefix, digits, ids_by, ids_prefix
from headwater.queries.columns.column_versions import VersionWalk
from headwater.queries.columns.selection import ROOTS_MAX, reported_roots
from headwater.queries.graphs.node_ids import Node
from headwater.queries.results.columns import ColumnGraph, Origin
from headwater.queries.results.graphs import UpstreamRun
from headwater.queries.runs.dataset_versions import KnownVersion, newest_versions
from headwater.queries.runs.input_versions import InputBudget, reads_of
from headwater.queries.runs.runs import upstream_inputs
from headwater.queries.view import GraphView, ResolvedDataset
from headwater.queries.view.written_versions import WrittenVersion, version_by
from headwater_model.ids import DatasetId, RunKey

Known: TypeAlias = Literal["exact", "atOrBefore", "unknown"]
# Rows of a superseded report stand among the index rows: a few pages are enough.
_ROUNDS_MAX = 3
_NO_COLUMNS = ColumnGraph(())
_NO_IDS = "none of the dataset's last versions reports ids of its rows"
_OTHERS = "no captured run reported the commit that gave this id"
_OTHER_CHANGE = "no captured run reported the commit with this sequence number"
_TOO_EARLY = "the sequence number is lower than that of the commit that gave this id"
_UPGRADE = "the table's rows got their ids by this commit, older rows too"


@dataclass(frozen=True, slots=True)
class RowCommit:
    """A version by a run, with its ids of rows, its inputs, columns and roots; `run` is None for a hidden job."""

    ids: RowIds
    branch: str | None
    origin: Origin
    run: UpstreamRun | None
    columns: ColumnGraph
    truncated: bool


@dataclass(frozen=True, slots=True)
class RowStep:
    """The commit that made or changed a row, as far as it is known; `reason` says why it is not exact."""

    known: Known
    reason: str | None = None
    commit: RowCommit | None = None


@dataclass(frozen=True, slots=True)
class RowHistory:
    """A row's first and last step; `changed` is None without a sequence number in the question."""

    dataset: DatasetId
    table: str | None
    made: RowStep
    changed: RowStep | None


_Commit: TypeAlias = tuple[WrittenVersion, RowIds]


def find_row(name: DatasetId, row_id: int, sequence: int | None, view: GraphView) -> RowHistory | None:
    """Find the commits of a row of the dataset's newest table; None for an unknown dataset."""
    view.load([name], users="up")
    group = view.group(name)
    if not group.known:
        return None
    [newest] = newest_versions([(group, lambda version: _ids_of(version, group) is not None, "~")], view)
    ids = _ids_of(newest, group) if newest else None
    if ids is None:
        unknown = RowStep("unknown", _NO_IDS)
        return RowHistory(group.primary, None, unknown, None if sequence is None else unknown)
    creation, change = _search(group, ids.table, row_id, sequence, view)
    commits = _read_commits([commit for commit in (creation, change) if commit], group, view)
    created = _creation(creation, row_id, sequence, commits)
    changed = None if sequence is None else _change(change, sequence, created, commits)
    return RowHistory(group.primary, ids.table, created, changed)


def _ids_of(version: KnownVersion, group: ResolvedDataset) -> RowIds | None:
    return ids_by(version.written.facts, group.names) if version.written else None


def _search(
    group: ResolvedDataset, table: str, row_id: int, sequence: int | None, view: GraphView
) -> tuple[_Commit | None, _Commit | None]:
    """Find the commit with the greatest first id up to the row's, and the commit of the sequence number."""
    scans = [_scans(group, table, ids_prefix(table), lambda ids: ids.first, digits(row_id))]
    if sequence is not None:
        scans.append(_scans(group, table, changes_prefix(table, sequence), lambda ids: ids.sequence, ""))
    creation, change, *_ = [*first_of_groups(scans, view, rounds_max=_ROUNDS_MAX), None]
    return creation, change


def _scans(
    group: ResolvedDataset, table: str, prefix: str, number: Callable[[RowIds], int | None], high: str
) -> list[IndexScan[_Commit]]:
    """Scan the rows of a table's commits by a number of theirs, from `high` downwards, under each name."""
    shared: dict[Key, _Commit] = {}

    def place(commit: _Commit) -> tuple[str, str]:
        version, ids = commit
        return digits(number(ids) or 0), str(version.run)

    def confirm(row: Row, facts: RunFacts) -> _Commit | None:
        ids, version = ids_by(facts, group.names), version_by(run_of(row), facts, group)
        if ids is None or version is None or ids.table != table:
            return None
        return (version, ids) if place((version, ids)) == (time_of(row), end_of(row)) else None

    return [
        IndexScan(dataset_pk(name), prefix, confirm, high=f"{high}#~" if high else "~", order=place, results=shared)
        for name in group.names
    ]


def _creation(
    commit: _Commit | None, row_id: int, sequence: int | None, commits: Mapping[RunKey, RowCommit]
) -> RowStep:
    if commit is None or not commit[1].has(row_id):
        return RowStep("unknown", _OTHERS)
    version, ids = commit
    if ids.upgrades:
        return RowStep("atOrBefore", _UPGRADE, commits[version.run])
    if sequence is not None and sequence < ids.sequence:
        return RowStep("unknown", _TOO_EARLY)
    return RowStep("exact", None, commits[version.run])


def _change(commit: _Commit | None, sequence: int, created: RowStep, commits: Mapping[RunKey, RowCommit]) -> RowStep:
    if created.reason == _TOO_EARLY:
        return created
    if commit is not None:
        return RowStep("exact", None, commits[commit[0].run])
    if created.known == "atOrBefore" and created.commit and sequence < created.commit.ids.sequence:
        return created
    return RowStep("unknown", _OTHER_CHANGE)


def _read_commits(chosen: Sequence[_Commit], group: ResolvedDataset, view: GraphView) -> dict[RunKey, RowCommit]:
    """Read the runs of the commits: their inputs, within the budget, and their record roots."""
    facts = view.opened_runs({version.run: version.facts for version, _ in chosen})
    budget = InputBudget()
    reads = reads_of(budget.limit_inputs(facts), view)
    roots = reported_roots(facts, view)
    commits = {}
    for version, ids in chosen:
        brief = summarize_run(version.run, version.facts) if version.run in facts else None
        columns = _columns(version, group, view) if brief else _NO_COLUMNS
        by, reported = roots.get(version.run, (None, []))
        commits[version.run] = RowCommit(
            ids=ids,
            branch=version.branch,
            origin=Origin(version.version, brief, tuple(reported[:ROOTS_MAX]), by.id if by else None),
            run=UpstreamRun(brief, upstream_inputs(reads[version.run], view)) if brief else None,
            columns=columns,
            truncated=version.run in budget.cut or len(reported) > ROOTS_MAX or columns.truncated,
        )
    return commits


def _columns(version: WrittenVersion, group: ResolvedDataset, view: GraphView) -> ColumnGraph:
    past = VersionWalk(view.as_of(None))
    nodes = past.columns_of_version(Node(group.primary), version.version)
    return _NO_COLUMNS if nodes is None else past.graph(nodes, depth=0)
