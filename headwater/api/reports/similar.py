"""The report on datasets that are likely the same, as JSON."""

from __future__ import annotations

from headwater.api.reports import types
from headwater.api.values import render_ids
from headwater.queries.results.graphs import Similar


def render_similar(similar: Similar) -> types.SimilarReport:
    """Return the groups of datasets, by the first of each."""
    groups: list[types.SimilarDatasets] = [
        {"datasets": render_ids(group.datasets), "columns": group.columns} for group in similar.groups
    ]
    return {"similar": groups, "truncated": similar.truncated}
