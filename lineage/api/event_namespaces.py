"""Namespaces that events name, for tokens that are good for some namespaces."""

from __future__ import annotations

from collections.abc import Iterator

from lineage.openlineage.event import Event
from lineage.openlineage.naming import NamingRules, find_datasets
from lineage.openlineage.parse import parse_event
from lineage_model.errors import Invalid, TooLarge

# Namespaces are never rewritten, whatever the rules.
_RULES = NamingRules(trim_partitions=False, temporary=())


def namespaces_of(body: object) -> Iterator[str]:
    """Yield the namespaces that the events name; of an event that its route refuses, none."""
    for document in body if isinstance(body, list) else [body]:
        try:
            event = parse_event(document, _RULES, now=None)
        except (Invalid, TooLarge):
            continue
        yield from _of_event(event)


def _of_event(event: Event) -> Iterator[str]:
    jobs = (event.job, *(run.job for run in (event.parent, event.root) if run is not None))
    yield from (job.namespace for job in jobs if job is not None)
    uses = (*event.inputs, *event.outputs, *([event.dataset] if event.dataset else []))
    yield from (use.dataset.namespace for use in uses)
    for facets in (event.run_facets, event.job_facets, *(use.facets for use in uses)):
        yield from sorted(dataset.namespace for dataset in find_datasets(facets))
