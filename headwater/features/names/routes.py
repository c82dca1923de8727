"""The route of datasets that are likely the same under several names."""

from __future__ import annotations

from typing import cast

from aws_lambda_powertools.event_handler import Response

from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import respond_json
from headwater.api.route import Route, Services, Within
from headwater.api.values import render_ids
from headwater.features.names import types
from headwater.features.names.similar_names import Similar, SimilarDatasets, similar_datasets


def report_similar(services: Services, _request: HttpRequest) -> Response[str]:
    """Report the datasets that are likely the same under several names, for rules of names to join.

    The last part of their names and all their columns are equal. Of datasets with equal last parts, 2,000 are compared.

    Returns:
        Groups of datasets, by the first of each.
    """
    return respond_json(services.links, render_similar(similar_datasets(services.queries.view())))


def render_similar(similar: Similar) -> types.SimilarReport:
    """Return the groups of datasets, by the first of each."""
    return {"similar": list(map(_render_group, similar.groups)), "truncated": similar.truncated}


def _render_group(group: SimilarDatasets) -> types.SimilarDatasets:
    rendered: types.SimilarDatasets = {"datasets": render_ids(group.datasets), "columns": group.columns}
    if group.fold:
        rendered["fields"] = cast("types.FieldFold", group.fold.to_json())
    return rendered


ROUTES = (
    Route(
        "GET",
        "/api/v1/reports/similar",
        report_similar,
        scope="read",
        within=Within.SEEN,
        returns=types.SimilarReport,
        errors=(503,),
    ),
)
