"""Marquez's routes."""

from headwater.api.marquez import (
    annotating,
    assertions,
    columns,
    datasets,
    events,
    full_text_search,
    jobs,
    lineage,
    namespaces,
    runs,
    search,
    sources,
    statistics,
    tags,
    writes,
)

ROUTES = (
    *lineage.ROUTES,
    *columns.ROUTES,
    *events.ROUTES,
    *namespaces.ROUTES,
    *datasets.ROUTES,
    *jobs.ROUTES,
    *runs.ROUTES,
    *search.ROUTES,
    *full_text_search.ROUTES,
    *sources.ROUTES,
    *statistics.ROUTES,
    *tags.ROUTES,
    *annotating.ROUTES,
    *assertions.ROUTES,
    *writes.ROUTES,
)
