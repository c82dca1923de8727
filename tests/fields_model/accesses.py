"""Accesses of runs to datasets, around a dataset in a time range, as CDAP walks."""

from __future__ import annotations

from headwater.queries.columns.cdap_results import Accesses, Relation
from tests.fields_model.near import in_range
from tests.fields_model.operations import read_of
from tests.fields_model.reporters import sources_in


def find_accesses(world, dataset, window, levels, rolled_up):
    """Return the accesses within so many datasets and jobs, in any direction."""
    reporters = [(one, _accesses(world, one)) for one in in_range(world, window) if one.job]
    found, datasets, jobs, near = set(), set(), set(), {world.statements.primary(dataset)}
    for _ in range(levels):
        fresh = near - datasets
        datasets |= fresh
        touching = [(one, some) for one, some in reporters if any(name in fresh for name, _ in some)]
        found |= {(one, name, access) for one, some in touching for name, access in some if name in fresh}
        mine = {one.job for one, _ in touching} - jobs
        jobs |= mine
        runs = [(one, some) for one, some in reporters if one.run and one.job in mine]
        every = runs + [(one, some) for one, some in touching if not one.run]
        found |= {(one, name, access) for one, some in every for name, access in some}
        near = {name for _, some in every for name, _ in some}
    roots = {_root(world, one) for one, _, _ in found if _root(world, one) != one.id}
    relations = {_relation(world, *one, roots if rolled_up else ()) for one in found} - {None}
    order = sorted(relations, key=lambda one: (one.dataset, one.job, one.access, one.run))
    return Accesses(tuple(order))


def _accesses(world, reporter):
    """Return the datasets that a reporter wrote or read, with the access."""
    written = {*reporter.outputs, *reporter.reported}
    sources = {one.dataset for name in written for one in sources_in(reporter.columns(name))}
    operations = {name for some in reporter.operations for name in read_of(some)}
    read = {*reporter.inputs, *sources, *reporter.named, *operations}
    named = [(name, "write") for name in written] + [(name, "read") for name in read]
    return {(world.statements.primary(name), access) for name, access in named}


def _relation(world, reporter, dataset, access, roots):
    """Return a relation, rolled up to one of these roots; None for what that run kept for itself."""
    root = _root(world, reporter)
    if root not in roots:
        return Relation(dataset, reporter.job, access, reporter.id.id)
    if dataset.name.endswith(root.id):
        return None
    return Relation(dataset, world.statements.runs[root].job, access, root.id, rolled_up=True)


def _root(world, reporter):
    """Return the run at the root of a run, which may be the run itself."""
    events = world.statements.runs[reporter.run].events if reporter.run else [reporter.event]
    named = [event.root or event.parent for event in events if event.parent]
    return named[-1].key if named else reporter.id
