"""Columns of a node id: now, of a version, or at a time; and the origins of a column.

The application starts a run for each captured write, and reports the records as its own. So a run without roots has
the roots of its parent run.
"""

from __future__ import annotations

from collections.abc import Mapping

from headwater.facts.facet_refs import roots_of
from headwater.facts.facts import RunFacts
from headwater.facts.index_scan import read_run_facts
from headwater.facts.job_nodes import summarize_run
from headwater.facts.run_facts import parent_run
from headwater.queries.columns.column_graph import ColumnWalk
from headwater.queries.columns.column_versions import VersionWalk
from headwater.queries.graphs.node_ids import FieldNode, Node, field_candidates, nodes_named, selected_version
from headwater.queries.results.columns import ColumnGraph, Origin, Origins
from headwater.queries.runs.dataset_versions import current_versions, find_version
from headwater.queries.view import GraphView, ResolvedDataset
from headwater_model.columns import Column
from headwater_model.ids import DatasetId, JobId, RunKey

# Roots of a version in a result.
ROOTS_MAX = 10_000


def find_columns(
    view: GraphView,
    node_id: str,
    *,
    depth: int,
    downstream: bool = False,
    at: str | None = None,
    version: str | None = None,
) -> ColumnGraph | None:
    """Find the graph of columns around a dataset, a field or a job: now, as of a time, or upstream of a version.

    Depth 0 is the requested columns with their sources; each further level adds the sources as nodes, and with
    `downstream` the derived columns. As of a time, the graph has versions; with `downstream` it is the graph
    current at the time. None if the node is unknown.

    Raises:
        Invalid: the node id cannot be read, or selectors disagree (a version with `downstream`, ...).
    """
    for node in nodes_named(node_id, view):
        of_job = isinstance(node.id, JobId)
        selected = selected_version(node.version, version, at, of_job=of_job, downstream=downstream)
        graph = _find_graph(node, view.as_of(at), selected, depth=depth, downstream=downstream)
        if graph is not None:
            return graph
    return None


def find_field(view: GraphView, node_id: str) -> Column | None:
    """Find the column of an id (`datasetField:...`), under its dataset's primary name; None if it is unknown now.

    Raises:
        Invalid: the id cannot be read as a field's.
    """
    candidates = field_candidates(node_id, view)
    return next((column for node in candidates if (column := view.find_column(node.id, node.field))), None)


def _find_graph(
    node: FieldNode | Node, view: GraphView, version: str | None, *, depth: int, downstream: bool
) -> ColumnGraph | None:
    """Walk the columns around a node, of a version or as of the view's time; None if there is no such node.

    As of a time, the graph has versions; with `downstream` it is the current graph of the time.
    """
    if version is None and (view.at is None or downstream):
        columns = _select_current(node, view, downstream=downstream)
        return None if columns is None else ColumnWalk(view).graph(columns, depth=depth, downstream=downstream)
    past = VersionWalk(view.as_of(None))
    nodes = past.columns_at(node, view) if version is None else past.columns_of_version(node, version)
    return None if nodes is None else past.graph(nodes, depth=depth)


def _select_current(node: FieldNode | Node, view: GraphView, *, downstream: bool) -> list[Column] | None:
    """List the columns of a node now; None if the node does not exist."""
    if isinstance(node, FieldNode):
        column = view.find_column(node.id, node.field)
        return [column] if column else None
    if isinstance(node.id, DatasetId):
        return view.list_columns(node.id, used=downstream) if view.find_columns(node.id) else None
    outputs = view.find_outputs(node.id)
    if outputs is None:
        return None
    return list(dict.fromkeys(column for output in outputs for column in view.list_columns(output, used=downstream)))


def find_origins(view: GraphView, node_id: str) -> Origins | None:
    """Find the origins of a node id's column; None if the caller sees no such column.

    Raises:
        Invalid: the id cannot be read as a field's.
    """
    for node in field_candidates(node_id, view):
        group = view.named(node.id)
        versions = _versions(node, group, view)
        if versions is not None:
            return _origins(Column(group.primary, node.field), versions, view)
    return None


def _versions(node: FieldNode, group: ResolvedDataset, view: GraphView) -> Mapping[str, RunKey | None] | None:
    """Find the runs of the requested versions, by version; None if there is no such column or version."""
    if node.version is not None:
        if not VersionWalk(view).columns_of_version(node, node.version):
            return None
        version = find_version(group, node.version, view)
        return {node.version: version.run} if version else None
    entry = view.find_columns(node.id)
    if entry is None or view.find_column(node.id, node.field) is None:
        return None
    reporters = entry.known.reporters_of(node.field)
    reported = {reporter.version: reporter.run for reporter in reporters if reporter.version}
    if reported:
        return reported
    current = current_versions([group], view)[0]
    return {current.id: current.run} if current else {}


def _origins(column: Column, versions: Mapping[str, RunKey | None], view: GraphView) -> Origins:
    facts = view.opened_runs(read_run_facts({run for run in versions.values() if run}, view))
    reported = reported_roots(facts, view)
    origins = []
    cut = False
    for version, run in sorted(versions.items()):
        run_facts = facts.get(run) if run else None
        by, roots = reported.get(run, (None, [])) if run else (None, [])
        cut |= len(roots) > ROOTS_MAX
        brief = summarize_run(run, run_facts) if run and run_facts and run_facts.job_id else None
        origins.append(Origin(version, brief, tuple(roots[:ROOTS_MAX]), by.id if by else None))
    return Origins(column, tuple(origins), cut)


def reported_roots(facts: Mapping[RunKey, RunFacts], view: GraphView) -> dict[RunKey, tuple[RunKey, list[str]]]:
    """Find each run's reported roots, else its parent's: `{run: (reporting run, ["flights-2013"])}`."""
    own = {run: (run, roots) for run, run_facts in facts.items() if (roots := roots_of(run_facts))}
    parents = {run: parent for run, run_facts in facts.items() if run not in own and (parent := parent_run(run_facts))}
    parent_facts = view.opened_runs(read_run_facts(set(parents.values()), view))
    theirs = {parent: roots for parent, run_facts in parent_facts.items() if (roots := roots_of(run_facts))}
    return own | {run: (parent, theirs[parent]) for run, parent in parents.items() if parent in theirs}
