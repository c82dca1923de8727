"""Routes of tags: the list, descriptions, and tags of datasets, fields and jobs.

A tag that is set or taken away here is a message of ours in the log of events, so that a replay knows it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from aws_lambda_powertools.event_handler import Response

from headwater.api.http.links import respond_json
from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import respond
from headwater.api.marquez import types
from headwater.api.marquez.datasets import render_datasets
from headwater.api.marquez.job_views import render_job
from headwater.api.marquez.parameters import (
    DATASET,
    FIELD,
    JOB,
    JOB_NAMESPACE,
    LIMIT,
    NAMESPACE,
    OFFSET,
    TAG,
    read_dataset_id,
    read_job_id,
    read_paging,
    read_texts,
)
from headwater.api.marquez.responses import require, respond_list
from headwater.api.marquez.shown import wait_until_shown
from headwater.api.route import Route
from headwater.api.services import Services
from headwater.facts.annotations import API, Annotations, Attribution, KnownTag, Tag
from headwater.facts.entities import Dataset


def list_tags(services: Services, request: HttpRequest) -> Response[str]:
    """List the tags that jobs, datasets and fields have or had, and those that were described.

    Returns:
        By name; of several spellings one.
    """
    limit, offset = read_paging(request)
    listed = services.queries.list_tags(limit=limit, offset=offset)
    return respond_list(services.links, "tags", listed, map(render_known_tag, listed.items))


def put_tag(services: Services, request: HttpRequest) -> Response[str]:
    """Describe a tag, which any job, dataset or field may have.

    Returns:
        The tag as the list shows it by then; after three seconds, as it will show it.
    """
    name = TAG.read(request)
    (description,) = read_texts(request.json(), "description")
    services.changes.put_tagging(name, time=services.now(), description=description, caller=request.caller)
    described = KnownTag(name, description)
    shown = wait_until_shown(
        services, lambda: services.queries.find_tag(name), lambda tag: tag == described, otherwise=described
    )
    return respond(render_known_tag(shown))


def render_known_tag(tag: KnownTag) -> types.Tag:
    """Return Marquez's Tag."""
    return {"name": tag.name, "description": tag.description}


def tag_dataset(services: Services, request: HttpRequest) -> Response[str]:
    """Set a tag on a dataset.

    Returns:
        The dataset with the tag; other requests show it so by then, or after three seconds will.
    """
    return _change_dataset(services, request, present=True)


def untag_dataset(services: Services, request: HttpRequest) -> Response[str]:
    """Take a tag from a dataset, whatever events report of it.

    Returns:
        The dataset without the tag; other requests show it so by then, or after three seconds will.
    """
    return _change_dataset(services, request, present=False)


def tag_field(services: Services, request: HttpRequest) -> Response[str]:
    """Set a tag on a field of a dataset, in capitals, as in Marquez.

    Returns:
        The dataset with the tag; other requests show it so by then, or after three seconds will.
    """
    return _change_dataset(services, request, present=True, field=FIELD.read(request))


def untag_field(services: Services, request: HttpRequest) -> Response[str]:
    """Take a tag from a field of a dataset, whatever events report of it.

    Returns:
        The dataset without the tag; other requests show it so by then, or after three seconds will.
    """
    return _change_dataset(services, request, present=False, field=FIELD.read(request))


def tag_job(services: Services, request: HttpRequest) -> Response[str]:
    """Set a tag on a job.

    Returns:
        The job with the tag; other requests show it so by then, or after three seconds will.
    """
    return _change_job(services, request, present=True)


def untag_job(services: Services, request: HttpRequest) -> Response[str]:
    """Take a tag from a job, whatever events report of it.

    Returns:
        The job without the tag; other requests show it so by then, or after three seconds will.
    """
    return _change_job(services, request, present=False)


def _change_dataset(
    services: Services, request: HttpRequest, *, present: bool, field: str | None = None
) -> Response[str]:
    dataset_id, name = read_dataset_id(request), TAG.read(request)
    dataset = require(services.queries.find_dataset(dataset_id), "Dataset", dataset_id.name)
    if field is not None:
        _require_field(services, dataset, field)
        name = name.upper()
    about = {"namespace": dataset.id.namespace, "dataset": dataset.id.name, "field": field}
    tag = _put(services, request, name, about, present=present)
    shown = wait_until_shown(
        services,
        lambda: services.queries.find_dataset(dataset_id),
        lambda known: _has(known.annotations, tag) is present,
        otherwise=replace(dataset, annotations=dataset.annotations.changed(tag, present=present)),
    )
    return respond_json(services.links, next(render_datasets(services.queries, [shown])))


def _require_field(services: Services, dataset: Dataset, field: str) -> None:
    if any(one.get("name") == field for one in dataset.fields):
        return
    node_id = f"datasetField:{dataset.id.namespace}:{dataset.id.name}:{field}"
    require(services.queries.find_field(node_id), "Field", field)


def _change_job(services: Services, request: HttpRequest, *, present: bool) -> Response[str]:
    job_id, name = read_job_id(request), TAG.read(request)
    job = require(services.queries.find_job(job_id), "Job", job_id.name)
    tag = _put(services, request, name, {"namespace": job_id.namespace, "job": job_id.name}, present=present)
    shown = wait_until_shown(
        services,
        lambda: services.queries.find_job(job_id),
        lambda known: _has(known.annotations, tag) is present,
        otherwise=replace(job, annotations=job.annotations.changed(tag, present=present)),
    )
    return respond_json(services.links, render_job(shown))


def _has(annotations: Annotations, tag: Tag) -> bool:
    return tag.key in {known.key for known in annotations.tags}


def _put(services: Services, request: HttpRequest, name: str, about: Mapping[str, str | None], *, present: bool) -> Tag:
    """Queue the change; return the tag as it will be."""
    time = services.now()
    services.changes.put_tagging(name, time=time, present=present, caller=request.caller, **about)
    return Tag(name, about.get("field"), None, API, Attribution(None, time, request.caller))


_DATASET = "/api/v1/namespaces/<namespace>/datasets/<dataset>"
_of_dataset = partial(Route, path=f"{_DATASET}/tags/<tag>", parameters=(NAMESPACE, DATASET, TAG), returns=types.Dataset)
_of_field = partial(
    Route,
    path=f"{_DATASET}/fields/<field>/tags/<tag>",
    parameters=(NAMESPACE, DATASET, FIELD, TAG),
    returns=types.Dataset,
)
_of_job = partial(
    Route,
    path="/api/v1/namespaces/<namespace>/jobs/<job>/tags/<tag>",
    parameters=(JOB_NAMESPACE, JOB, TAG),
    returns=types.Job,
)
ROUTES = (
    Route("GET", "/api/v1/tags", list_tags, parameters=(LIMIT, OFFSET), returns=types.Tags, errors=(400, 503)),
    Route(
        "PUT",
        "/api/v1/tags/<tag>",
        put_tag,
        parameters=(TAG,),
        accepts=types.TagDescription,
        returns=types.Tag,
        linked=False,
        errors=(400, 413, 422, 503),
    ),
    _of_dataset("POST", handler=tag_dataset),
    _of_dataset("DELETE", handler=untag_dataset),
    _of_field("POST", handler=tag_field),
    _of_field("DELETE", handler=untag_field),
    _of_job("POST", handler=tag_job),
    _of_job("DELETE", handler=untag_job),
)
