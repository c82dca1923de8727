"""Routes of datasets and their versions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from aws_lambda_powertools.event_handler import Response

from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import respond_json
from headwater.api.marquez import types
from headwater.api.marquez.columns import render_column_lineage
from headwater.api.marquez.dataset_views import render_dataset, render_dataset_version, render_short_dataset
from headwater.api.marquez.parameters import (
    DATASET,
    DATASET_VERSION_ID,
    FORM,
    LIMIT,
    NAMESPACE,
    OFFSET,
    SORT,
    UPDATED_BEFORE,
    is_short,
    read_dataset_id,
    read_paging,
)
from headwater.api.marquez.responses import require, respond_list
from headwater.api.route import Services, Within, delete_route, list_route, read_route
from headwater.queries.results.columns import ColumnGraph
from headwater.queries.results.entities import Dataset
from headwater.queries.service import LineageQueries
from headwater_model.errors import Invalid


def list_all_datasets(services: Services, request: HttpRequest) -> Response[str]:
    """List the datasets of all namespaces.

    Of more than 5,000 datasets, an order or a limit by time counts the first 5,000.

    Returns:
        By namespace and name, or the last updated first.
    """
    return _list_datasets(services, request, None)


def list_datasets(services: Services, request: HttpRequest) -> Response[str]:
    """List a namespace's datasets.

    Returns:
        By name, or the last updated first.
    """
    return _list_datasets(services, request, NAMESPACE.read(request))


def _list_datasets(services: Services, request: HttpRequest, namespace: str | None) -> Response[str]:
    in_short = is_short(request)
    queries = services.queries.together()
    listed = queries.list_datasets(
        namespace,
        sort=SORT.read(request),
        updated_before=UPDATED_BEFORE.read(request),
        in_short=in_short,
        **read_paging(request),
    )
    if namespace is not None and not listed.total:
        require(services.queries.find_namespace(namespace), "Namespace", namespace)
    if in_short:
        return respond_list(services.links, "datasets", listed, map(render_short_dataset, listed.items))
    return respond_list(services.links, "datasets", listed, render_datasets(queries, listed.items))


def get_dataset(services: Services, request: HttpRequest) -> Response[str]:
    """Get a dataset, by any of its names.

    Returns:
        The dataset, by its primary name.
    """
    queries = services.queries.together()
    return respond_json(services.links, next(render_datasets(queries, [_find(queries, request)])))


def delete_dataset(services: Services, request: HttpRequest) -> Response[str]:
    """Hide a dataset.

    Until an event of a later time mentions it again. Its history stays. The name of a partition deletes nothing.

    Returns:
        The thing, deleted; readers see the change within seconds.
    """
    queries = services.queries.together()
    dataset, name = _find(queries, request), read_dataset_id(request)
    if whole := queries.find_trimmed(name):
        rule = f"must name a whole dataset: this is a partition of {whole.name!r}, by the rules of names"
        raise Invalid.because("dataset", name.name, rule)
    services.changes.put(
        "DELETE",
        time=services.now(),
        namespace=dataset.id.namespace,
        dataset=dataset.id.name,
        caller=request.caller,
    )
    return respond_json(services.links, next(render_datasets(queries, [replace(dataset, deleted=True)])))


def list_dataset_versions(services: Services, request: HttpRequest) -> Response[str]:
    """List a dataset's versions.

    Returns:
        Newest first.
    """
    dataset_id = read_dataset_id(request)
    versions = services.queries.list_dataset_versions(dataset_id, **read_paging(request))
    listed = require(versions, "Dataset", dataset_id.name)
    return respond_list(services.links, "versions", listed, map(render_dataset_version, listed.items))


def get_dataset_version(services: Services, request: HttpRequest) -> Response[str]:
    """Get a version of a dataset.

    Returns:
        The version.
    """
    version = DATASET_VERSION_ID.read(request)
    dataset_version = services.queries.find_dataset_version(read_dataset_id(request), version)
    return respond_json(services.links, render_dataset_version(require(dataset_version, "Dataset version", version)))


def _find(queries: LineageQueries, request: HttpRequest) -> Dataset:
    dataset_id = read_dataset_id(request)
    return require(queries.find_dataset(dataset_id), "Dataset", dataset_id.name)


def render_datasets(queries: LineageQueries, datasets: Sequence[Dataset]) -> Iterator[types.Dataset]:
    """Yield the datasets with their columns, all read at once."""
    columns = queries.columns_of([dataset.id for dataset in datasets]) if datasets else {}
    for dataset in datasets:
        graph = columns.get(dataset.id, ColumnGraph(()))
        yield render_dataset(dataset, render_column_lineage(graph.columns), columns_cut=graph.truncated)


_DATASETS = "/api/v1/namespaces/<namespace>/datasets"
_ID = (NAMESPACE, DATASET)
_LISTED = (SORT, UPDATED_BEFORE, FORM, LIMIT, OFFSET)
_RETURNS = types.Datasets | types.ShortDatasets
ROUTES = (
    list_route("/api/v1/datasets", list_all_datasets, Within.SEEN, _LISTED, _RETURNS),
    read_route(_DATASETS, list_datasets, Within.NAMESPACE, (NAMESPACE, *_LISTED), _RETURNS),
    read_route(f"{_DATASETS}/<dataset>", get_dataset, Within.NAMESPACE, _ID, types.Dataset),
    delete_route(f"{_DATASETS}/<dataset>", delete_dataset, parameters=_ID, returns=types.Dataset),
    read_route(
        f"{_DATASETS}/<dataset>/versions",
        list_dataset_versions,
        Within.NAMESPACE,
        (*_ID, LIMIT, OFFSET),
        types.DatasetVersions,
    ),
    read_route(
        f"{_DATASETS}/<dataset>/versions/<version>",
        get_dataset_version,
        Within.NAMESPACE,
        (*_ID, DATASET_VERSION_ID),
        types.DatasetVersion,
    ),
)
