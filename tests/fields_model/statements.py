"""Everything that was said, with the datasets that were named in telling of columns."""

from __future__ import annotations

from functools import cached_property

from lineage.openlineage.event import DatasetUse
from tests.fields_model.reporters import named_as_sources
from tests.runs_model.statements import Statements


class StatementsOfColumns(Statements):
    """An event mentions the datasets that it tells columns to come from, as if it had read them."""

    def before(self, time):
        return StatementsOfColumns([one for one in self.statements if one.time < time])

    @cached_property
    def uses(self):
        every = super().uses
        mentions = {(event.hash, use.dataset) for event, _, use in every}
        return every + [
            (event, "in", DatasetUse(source))
            for event in self.events
            for source in sorted(named_as_sources(event))
            if (event.hash, source) not in mentions
        ]
