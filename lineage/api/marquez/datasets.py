"""The routes of datasets and their versions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from aws_lambda_powertools.event_handler import Response

from lineage.api.marquez import query
from lineage.api.marquez.answers import answer_list, answer_whole, found
from lineage.api.marquez.column_views import render_column_lineage
from lineage.api.marquez.dataset_views import render_dataset, render_dataset_version
from lineage.api.marquez.values import Form
from lineage.api.request import HttpRequest
from lineage.api.services import Services
from lineage.graph.entities import Dataset
from lineage.queries.columns.results import ColumnGraph


def list_datasets(services: Services, request: HttpRequest) -> Response[str]:
    """A namespace's datasets, by name; 404 for a namespace that nothing is known of."""
    namespace, page = request.segment("namespace"), query.paging(request)
    listed = services.questions.list_datasets(namespace, limit=page.limit, offset=page.offset)
    if not listed.total:
        found(services.questions.find_namespace(namespace), "Namespace", namespace)
    return answer_list(services, "datasets", listed, _rendered(services, listed.items))


def get_dataset(services: Services, request: HttpRequest) -> Response[str]:
    """A dataset, by any of its names."""
    dataset_id = query.dataset_id(request)
    dataset = found(services.questions.find_dataset(dataset_id), "Dataset", dataset_id.name)
    return answer_whole(services, *_rendered(services, [dataset]))


def delete_dataset(services: Services, request: HttpRequest) -> Response[str]:
    """Hide a dataset until an event tells of it again; it is as good as done when this is answered."""
    dataset_id = query.dataset_id(request)
    dataset = found(services.questions.find_dataset(dataset_id), "Dataset", dataset_id.name)
    services.deletions.put(dataset.id.namespace, time=services.now(), dataset=dataset.id.name, caller=request.caller)
    return answer_whole(services, *_rendered(services, [replace(dataset, deleted=True)]))


def list_versions(services: Services, request: HttpRequest) -> Response[str]:
    """A dataset's versions, newest first."""
    dataset_id, page = query.dataset_id(request), query.paging(request)
    versions = services.questions.list_dataset_versions(dataset_id, limit=page.limit, offset=page.offset)
    listed = found(versions, "Dataset", dataset_id.name)
    return answer_list(services, "versions", listed, map(render_dataset_version, listed.items))


def get_version(services: Services, request: HttpRequest) -> Response[str]:
    """A version of a dataset."""
    version = request.segment("version")
    one = services.questions.find_dataset_version(query.dataset_id(request), version)
    return answer_whole(services, render_dataset_version(found(one, "Dataset version", version)))


def _rendered(services: Services, datasets: Sequence[Dataset]) -> Iterator[Form]:
    """The datasets with their columns, which are asked for at once."""
    columns = services.fields.columns_of([dataset.id for dataset in datasets]) if datasets else {}
    for dataset in datasets:
        graph = columns.get(dataset.id, ColumnGraph(()))
        yield render_dataset(dataset, render_column_lineage(graph.columns), columns_cut=graph.truncated)
