"""Routes that annotate: owners and descriptions of datasets, fields and jobs, and the common part with tags.

An annotation is a message of ours in the log of events, and so survives a replay.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias
from urllib.parse import quote

from aws_lambda_powertools.event_handler import Response

from headwater.api.http.parameters import text
from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import respond_json
from headwater.api.marquez import types
from headwater.api.marquez.annotation_types import DescriptionToPut
from headwater.api.marquez.datasets import render_datasets
from headwater.api.marquez.job_views import render_job
from headwater.api.marquez.parameters import (
    DATASET,
    FIELD,
    JOB,
    JOB_NAMESPACE,
    NAMESPACE,
    OWNER,
    read_dataset_id,
    read_job_id,
    read_texts,
)
from headwater.api.marquez.responses import require, wait_until_shown
from headwater.api.route import Route, Services, Within
from headwater.facts.annotations import Annotations, Attribution, Owner, Text, owner_key
from headwater.queries.results.entities import Dataset
from headwater_model.field_paths import print_dotted

_TYPE = text("type", "The kind of owner: `MAINTAINER`, for example.")


@dataclass(frozen=True, slots=True)
class Annotating:
    """A change of annotations: the message to `send` about a thing, the annotations `after`, and a test for its effect.

    `send` takes the names of the thing: its namespace, the job or the dataset, and the field.
    """

    send: Callable[..., None]
    after: Callable[[Annotations], Annotations]
    is_shown: Callable[[Annotations], bool]


# Reads the change in a request at a time.
ReadChange: TypeAlias = Callable[[Services, HttpRequest, str], Annotating]


def annotate_dataset(services: Services, request: HttpRequest, read: ReadChange, *, of_field: bool) -> Response[str]:
    """Change annotations of a dataset or a field; return the dataset with them, as readers see it now or soon."""
    dataset_id = read_dataset_id(request)
    dataset = require(services.queries.find_dataset(dataset_id), "Dataset", dataset_id.name)
    field = _known_field(services, dataset, FIELD.read(request)) if of_field else None
    if field is not None:
        request = replace(request, segments={**request.segments, "field": quote(field, safe="")})
    change = read(services, request, services.now())
    of_what = {} if field is None else {"field": field}
    change.send(namespace=dataset.id.namespace, dataset=dataset.id.name, **of_what)
    shown = wait_until_shown(
        services,
        lambda: services.queries.find_dataset(dataset_id),
        lambda known: change.is_shown(known.annotations),
        otherwise=replace(dataset, annotations=change.after(dataset.annotations)),
    )
    return respond_json(services.links, next(render_datasets(services.queries, [shown])))


def _known_field(services: Services, dataset: Dataset, field: str) -> str:
    """Find the field in the dataset's spelling: the request may have a producer's spelling, not yet folded."""
    if any(known.get("name") == field for known in dataset.fields):
        return field
    node_id = f"datasetField:{dataset.id.namespace}:{dataset.id.name}:{field}"
    column = require(services.queries.find_field(node_id), "Field", field)
    return print_dotted(column.field) if column.dataset == dataset.id else field


def annotate_job(services: Services, request: HttpRequest, read: ReadChange) -> Response[str]:
    """Change a job's annotations; return the job with the change, as readers see it now or soon."""
    job_id = read_job_id(request)
    job = require(services.queries.find_job(job_id), "Job", job_id.name)
    change = read(services, request, services.now())
    change.send(namespace=job_id.namespace, job=job_id.name)
    shown = wait_until_shown(
        services,
        lambda: services.queries.find_job(job_id),
        lambda known: change.is_shown(known.annotations),
        otherwise=replace(job, annotations=change.after(job.annotations)),
    )
    return respond_json(services.links, render_job(shown))


def add_dataset_owner(services: Services, request: HttpRequest) -> Response[str]:
    """Add an owner to a dataset; an owner of that name, in any case, is replaced.

    Returns:
        The dataset with the owner. The response waits until readers see the change, three seconds at most.
    """
    return annotate_dataset(services, request, partial(_read_owner, present=True), of_field=False)


def remove_dataset_owner(services: Services, request: HttpRequest) -> Response[str]:
    """Remove an owner from a dataset, whatever events report.

    Returns:
        The dataset without the owner. The response waits until readers see the change, three seconds at most.
    """
    return annotate_dataset(services, request, partial(_read_owner, present=False), of_field=False)


def add_job_owner(services: Services, request: HttpRequest) -> Response[str]:
    """Add an owner to a job; an owner of that name, in any case, is replaced.

    Returns:
        The job with the owner. The response waits until readers see the change, three seconds at most.
    """
    return annotate_job(services, request, partial(_read_owner, present=True))


def remove_job_owner(services: Services, request: HttpRequest) -> Response[str]:
    """Remove an owner from a job, whatever events report.

    Returns:
        The job without the owner. The response waits until readers see the change, three seconds at most.
    """
    return annotate_job(services, request, partial(_read_owner, present=False))


def _read_owner(services: Services, request: HttpRequest, time: str, *, present: bool) -> Annotating:
    name, kind = OWNER.read(request), _TYPE.read(request) if present else None
    owner = Owner(name, kind, Attribution(None, time, request.caller))

    send = partial(
        services.changes.put, "OWN" if present else "DISOWN", time=time, owner=name, type=kind, caller=request.caller
    )

    def is_shown(known: Annotations) -> bool:
        named = [other.type for other in known.owners if owner_key(other.name) == owner_key(name)]
        return named == ([kind] if present else [])

    return Annotating(send, lambda known: known.owned(owner, present=present), is_shown)


def describe_dataset(services: Services, request: HttpRequest) -> Response[str]:
    """Describe a dataset, in place of its description by events.

    Returns:
        The dataset with the description. The response waits until readers see the change, three seconds at most.
    """
    return annotate_dataset(services, request, _read_description, of_field=False)


def withdraw_dataset_description(services: Services, request: HttpRequest) -> Response[str]:
    """Withdraw a dataset's description by this API: its description by events is shown again.

    Returns:
        The dataset. The response waits until readers see the change, three seconds at most.
    """
    return annotate_dataset(services, request, _withdraw, of_field=False)


def describe_field(services: Services, request: HttpRequest) -> Response[str]:
    """Describe a field of a dataset, in place of its schema's description.

    Returns:
        The dataset with the description. The response waits until readers see the change, three seconds at most.
    """
    return annotate_dataset(services, request, _read_description, of_field=True)


def withdraw_field_description(services: Services, request: HttpRequest) -> Response[str]:
    """Withdraw a field's description by this API: its schema's description is shown again.

    Returns:
        The dataset. The response waits until readers see the change, three seconds at most.
    """
    return annotate_dataset(services, request, _withdraw, of_field=True)


def describe_job(services: Services, request: HttpRequest) -> Response[str]:
    """Describe a job, in place of its description by events.

    Returns:
        The job with the description. The response waits until readers see the change, three seconds at most.
    """
    return annotate_job(services, request, _read_description)


def withdraw_job_description(services: Services, request: HttpRequest) -> Response[str]:
    """Withdraw a job's description by this API: its description by events is shown again.

    Returns:
        The job. The response waits until readers see the change, three seconds at most.
    """
    return annotate_job(services, request, _withdraw)


def _read_description(services: Services, request: HttpRequest, time: str) -> Annotating:
    (description,) = read_texts(request.json(), "description", required=True)
    return _document(services, request, time, description)


def _withdraw(services: Services, request: HttpRequest, time: str) -> Annotating:
    return _document(services, request, time, None)


def _document(services: Services, request: HttpRequest, time: str, description: str | None) -> Annotating:
    field = FIELD.read(request) if "field" in request.segments else None
    text = None if description is None else Text(field, description, Attribution(None, time, request.caller))
    send = partial(services.changes.put, "DOCUMENT", time=time, description=description, caller=request.caller)
    return Annotating(
        send, lambda known: known.described_as(text, field), lambda known: known.text_of(field) == description
    )


_DATASET = "/api/v1/namespaces/<namespace>/datasets/<dataset>"
_FIELD = f"{_DATASET}/fields/<field>"
_JOB = "/api/v1/namespaces/<namespace>/jobs/<job>"
_on_dataset = partial(Route, scope="write", within=Within.NAMESPACE, returns=types.Dataset)
_on_job = partial(Route, scope="write", within=Within.NAMESPACE, returns=types.Job)
_of_dataset = partial(_on_dataset, parameters=(NAMESPACE, DATASET))
_of_field = partial(_on_dataset, parameters=(NAMESPACE, DATASET, FIELD))
_of_job = partial(_on_job, parameters=(JOB_NAMESPACE, JOB))
_BODY_ERRORS = (400, 404, 413, 422, 503)
ROUTES = (
    _on_dataset("POST", f"{_DATASET}/owners/<owner>", add_dataset_owner, parameters=(NAMESPACE, DATASET, OWNER, _TYPE)),
    _on_dataset("DELETE", f"{_DATASET}/owners/<owner>", remove_dataset_owner, parameters=(NAMESPACE, DATASET, OWNER)),
    _on_job("POST", f"{_JOB}/owners/<owner>", add_job_owner, parameters=(JOB_NAMESPACE, JOB, OWNER, _TYPE)),
    _on_job("DELETE", f"{_JOB}/owners/<owner>", remove_job_owner, parameters=(JOB_NAMESPACE, JOB, OWNER)),
    _of_dataset("PUT", f"{_DATASET}/description", describe_dataset, accepts=DescriptionToPut, errors=_BODY_ERRORS),
    _of_dataset("DELETE", f"{_DATASET}/description", withdraw_dataset_description),
    _of_field("PUT", f"{_FIELD}/description", describe_field, accepts=DescriptionToPut, errors=_BODY_ERRORS),
    _of_field("DELETE", f"{_FIELD}/description", withdraw_field_description),
    _of_job("PUT", f"{_JOB}/description", describe_job, accepts=DescriptionToPut, errors=_BODY_ERRORS),
    _of_job("DELETE", f"{_JOB}/description", withdraw_job_description),
)
