"""Accesses of runs to datasets, around a dataset in a time range, as CDAP walks."""

from headwater.queries.results.cdap import Accesses, Relation
from tests.fields_model.operations import read_of
from tests.fields_model.relations import in_range
from tests.fields_model.reporters import sources_in


def find_accesses(world, dataset, time_range, levels, rolled_up):
    """Return the accesses within so many datasets and jobs, in any direction."""
    reporters = [(reporter, _accesses(world, reporter)) for reporter in in_range(world, time_range) if reporter.job]
    accesses, datasets, jobs, neighbours = set(), set(), set(), {world.statements.primary(dataset)}
    for _ in range(levels):
        fresh = neighbours - datasets
        datasets |= fresh
        touching = [(reporter, uses) for reporter, uses in reporters if any(name in fresh for name, _ in uses)]
        accesses |= {(reporter, name, access) for reporter, uses in touching for name, access in uses if name in fresh}
        mine = {reporter.job for reporter, _ in touching} - jobs
        jobs |= mine
        runs = [(reporter, uses) for reporter, uses in reporters if reporter.run and reporter.job in mine]
        walked = runs + [(reporter, uses) for reporter, uses in touching if not reporter.run]
        accesses |= {(reporter, name, access) for reporter, uses in walked for name, access in uses}
        neighbours = {name for _, uses in walked for name, _ in uses}
    roots = {_root(world, reporter) for reporter, _, _ in accesses if _root(world, reporter) != reporter.id}
    relations = {_relation(world, *access, roots if rolled_up else ()) for access in accesses} - {None}
    order = sorted(relations, key=lambda relation: (relation.dataset, relation.job, relation.access, relation.run))
    return Accesses(tuple(order))


def _accesses(world, reporter):
    """Return the datasets that a reporter wrote or read, with the access."""
    written = {*reporter.outputs, *reporter.reported}
    sources = {source.dataset for name in written for source in sources_in(reporter.columns(name))}
    operations = {name for operations in reporter.operations for name in read_of(operations)}
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
