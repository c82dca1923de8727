"""Marquez's routes."""

from headwater.api.marquez import (
    annotating,
    assertions,
    catalogue,
    columns,
    datasets,
    events,
    jobs,
    lineage,
    search,
    statistics,
    writes,
)

ROUTES = (
    *lineage.ROUTES,
    *columns.ROUTES,
    *events.ROUTES,
    *catalogue.NAMESPACE_ROUTES,
    *datasets.ROUTES,
    *jobs.ROUTES,
    *search.ROUTES,
    *catalogue.SOURCE_ROUTES,
    *statistics.ROUTES,
    *catalogue.TAG_ROUTES,
    *annotating.TAG_ROUTES,
    *annotating.ROUTES,
    *assertions.ROUTES,
    *writes.ROUTES,
)
