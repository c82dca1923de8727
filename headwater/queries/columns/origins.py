"""Origins of columns: the last versions by its writers, their runs, and the record roots reported by the runs.

The application starts a run for each captured write, and reports the records as its own. So a run without roots has
the roots of its parent run.
"""

from __future__ import annotations

from collections.abc import Mapping

from headwater.facts.facet_refs import roots_of
from headwater.facts.facts import RunFacts
from headwater.facts.index_scan import read_run_facts
from headwater.facts.job_nodes import summarize_run
from headwater.facts.run_facts import owner, parent_run
from headwater.queries.columns.column_versions import VersionWalk
from headwater.queries.graphs.node_ids import FieldNode, field_candidates
from headwater.queries.results.columns import Origin, Origins
from headwater.queries.runs.dataset_versions import current_versions, find_version
from headwater.queries.view import GraphView, ResolvedDataset
from headwater_model.columns import Column
from headwater_model.ids import RunKey

# Roots of a version in a result.
ROOTS_MAX = 10_000


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
        brief = summarize_run(run, run_facts) if run and run_facts and owner(run_facts) else None
        origins.append(Origin(version, brief, tuple(roots[:ROOTS_MAX]), by.id if by else None))
    return Origins(column, tuple(origins), cut)


def reported_roots(facts: Mapping[RunKey, RunFacts], view: GraphView) -> dict[RunKey, tuple[RunKey, list[str]]]:
    """Find each run's reported roots, else its parent's: `{run: (reporting run, ["flights-2013"])}`."""
    own = {run: (run, roots) for run, run_facts in facts.items() if (roots := roots_of(run_facts))}
    parents = {run: parent for run, run_facts in facts.items() if run not in own and (parent := parent_run(run_facts))}
    parent_facts = view.opened_runs(read_run_facts(set(parents.values()), view))
    theirs = {parent: roots for parent, run_facts in parent_facts.items() if (roots := roots_of(run_facts))}
    return own | {run: (parent, theirs[parent]) for run, parent in parents.items() if parent in theirs}
