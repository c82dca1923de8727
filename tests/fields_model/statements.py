"""All statements, with the datasets that column reports name as sources."""

from __future__ import annotations

from functools import cached_property

from headwater.events.event import DatasetUse
from tests.fields_model.reporters import named_as_sources
from tests.runs_model.statements import Statements


class StatementsOfColumns(Statements):
    """Statements in which an event also mentions the source datasets of its column reports, as inputs."""

    @cached_property
    def uses(self):
        own_uses = super().uses
        mentions = {(event.hash, use.dataset) for event, _, use in own_uses}
        return own_uses + [
            (event, "in", DatasetUse(source))
            for event in self.events
            for source in sorted(named_as_sources(event))
            if (event.hash, source) not in mentions
        ]
