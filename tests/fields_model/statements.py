"""All statements, with the datasets that column reports name as sources."""

from dataclasses import replace
from functools import cached_property

from headwater.events.event import DatasetUse, Event
from tests.fields_model.reporters import named_as_sources
from tests.runs_model.statements import Statements


class StatementsOfColumns(Statements):
    """Statements in which the source datasets of column reports are inputs; a DatasetEvent mentions them alone."""

    def __init__(self, statements, whole=None):
        super().__init__(map(_with_sources, statements), whole)

    @cached_property
    def uses(self):
        return super().uses + [
            (event, "in", use) for event in self.events if event.kind == "DATASET" for use in _sources_of(event)
        ]


def _with_sources(statement):
    if not isinstance(statement, Event) or statement.kind == "DATASET":
        return statement
    return replace(statement, inputs=(*statement.inputs, *_sources_of(statement)))


def _sources_of(event):
    """Return the sources that the event does not use itself."""
    own = {use.dataset for use in (event.inputs if event.dataset is None else [event.dataset])}
    return [DatasetUse(source) for source in sorted(named_as_sources(event) - own)]
