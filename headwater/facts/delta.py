"""Additions of an event, or of a change through the API, to the facts: one table, a row a kind of fact."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from headwater.events.event import (
    AccessChange,
    Deletion,
    Description,
    Documentation,
    Event,
    Ownership,
    Renaming,
    Statement,
    Tagging,
)
from headwater.facts import delta_changes, delta_datasets, delta_jobs
from headwater.facts.assertions import measures, results_of_tests
from headwater.facts.facts_delta import Added, FactsDelta, report_of

# Functions of the additions of a statement, by its kind; for an event, of its `Report`. A further kind of fact is a
# function and its row here. `growth.KINDS` has the rows of grown facts.
_ADDS: Mapping[type[Statement], Sequence[Callable[[Any], Iterator[Added]]]] = {
    Event: (
        delta_datasets.mentions,  # of datasets: times, facets, drops
        delta_datasets.bare_mentions,  # of datasets that the sender may only name: times
        delta_datasets.other_names,
        delta_datasets.sources,
        delta_datasets.users,
        delta_datasets.declarations,  # of a DatasetEvent: its row, and columns with their sources
        measures,  # of data
        results_of_tests,  # of datasets and jobs
        delta_jobs.jobs,
        delta_jobs.runs,
        delta_jobs.streamed_versions,
        delta_jobs.dependents,  # of the jobs in its edges
        delta_jobs.parents,
        delta_jobs.namespaces,
    ),
    Renaming: (delta_changes.renamings,),
    Deletion: (delta_changes.deletions,),
    Tagging: (delta_changes.tags,),
    Ownership: (delta_changes.owners,),
    Documentation: (delta_changes.texts,),
    Description: (delta_changes.descriptions,),
    AccessChange: (),
}


def delta_of(statements: Iterable[Statement]) -> FactsDelta:
    """Join the additions of all statements: `{JobFacts: {job: facts}, RunFacts: {run: facts}}` and further rows."""
    delta = FactsDelta()
    for statement in statements:
        of: object = statement
        if isinstance(statement, Event):
            delta.senders[statement.stamp] = statement.job, statement.run
            of = report_of(statement, delta.refs)
        for kind in _ADDS[type(statement)]:
            for added in kind(of):
                delta.add(added)
    return delta
