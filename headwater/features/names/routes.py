"""The route of likely names of the same dataset, and its JSON."""

from typing import Literal, cast

from aws_lambda_powertools.event_handler import Response
from typing_extensions import NotRequired, TypedDict

from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import respond_json
from headwater.api.route import Services, Within, read_route
from headwater.api.types import Count, Id
from headwater.api.values import render_id, render_ids
from headwater.features.names import similar_names


class FieldFold(TypedDict):
    """Fold by which the columns of datasets become equal."""

    quotes: NotRequired[Literal["drop"]]
    case: NotRequired[Literal["lower", "upper"]]


class SimilarDatasets(TypedDict):
    """Likely names of the same dataset: the last part of the names and all columns are equal.

    Quotes and case make no difference.
    """

    datasets: list[Id]
    """By namespace and name."""
    columns: Count
    """The number of columns, equal in each of them."""
    fields: NotRequired[FieldFold]
    """The `fields` of a rule of names; missing where the columns are spelled alike."""


class ClaimedName(TypedDict):
    """Name that several locations claim by `symlinks`: it joins none of them."""

    name: Id
    datasets: list[Id]


class SimilarReport(TypedDict):
    """Datasets that are likely the same, without datasets joined by rules of names."""

    similar: list[SimilarDatasets]
    claimed: list[ClaimedName]
    truncated: bool
    """True if more datasets have equal last parts of their names than a request compares: 2,000."""


def report_similar(services: Services, _request: HttpRequest) -> Response[str]:
    """Report the likely names of the same dataset, for rules of names to join.

    The last part of their names and all their columns are equal. Of datasets with equal last parts, 2,000 are compared.

    Returns:
        Groups of datasets, by the first of each.
    """
    similar = similar_names.similar_datasets(services.queries.view())
    report: SimilarReport = {
        "similar": list(map(_render_group, similar.groups)),
        "claimed": [
            {"name": render_id(name), "datasets": render_ids(datasets)} for name, datasets in similar.claimed.items()
        ],
        "truncated": similar.truncated,
    }
    return respond_json(services.links, report)


def _render_group(group: similar_names.SimilarDatasets) -> SimilarDatasets:
    rendered: SimilarDatasets = {"datasets": render_ids(group.datasets), "columns": group.columns}
    if group.fold:
        rendered["fields"] = cast(FieldFold, group.fold.to_json())
    return rendered


ROUTES = (read_route("/api/v1/reports/similar", report_similar, Within.SEEN, (), SimilarReport, errors=(503,)),)
