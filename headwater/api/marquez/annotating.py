"""Routes that annotate: tags, owners and descriptions of datasets, fields and jobs.

An annotation is a message of ours in the log of events, and so survives a replay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias
from urllib.parse import quote

from aws_lambda_powertools.event_handler import Response

from headwater.api.http.parameters import AnyParameter, text
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
    TAG,
    read_dataset_id,
    read_job_id,
    read_texts,
)
from headwater.api.marquez.responses import require, wait_until_shown
from headwater.api.route import Route, Services, Within
from headwater.facts.annotations import API, Annotations, Attribution, Owner, Tag, Text, owner_key
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


def _read_tag(
    services: Services, request: HttpRequest, time: str, *, present: bool, of_field: bool = False
) -> Annotating:
    name, field = TAG.read(request), FIELD.read(request) if of_field else None
    name = name.upper() if of_field else name
    tag = Tag(name, field, None, API, Attribution(None, time, request.caller))
    kind = "TAG" if present else "UNTAG"
    send = partial(services.changes.put, kind, time=time, tag=name, caller=request.caller)

    def is_shown(known: Annotations) -> bool:
        return (tag.key in {other.key for other in known.tags}) is present

    return Annotating(send, lambda known: known.changed(tag, present=present), is_shown)


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


def change_route(
    method: str,
    path: str,
    name: str,
    summary: str,
    shown: str,
    read: ReadChange,
    *parameters: AnyParameter,
    accepts: object = None,
) -> Route:
    """Make a route that changes an annotation of the job, the dataset or the field in its path.

    `name`, `summary` and the `shown` result are for the OpenAPI document, as a handler's name and docstring.
    """
    of_job, of_field = "<job>" in path, "<field>" in path

    def handler(services: Services, request: HttpRequest) -> Response[str]:
        if of_job:
            return annotate_job(services, request, read)
        return annotate_dataset(services, request, read, of_field=of_field)

    handler.__name__ = name
    handler.__doc__ = f"{summary}\n\nReturns:\n{shown} {_WAITS}"
    ids = (JOB_NAMESPACE, JOB) if of_job else (NAMESPACE, DATASET, FIELD) if of_field else (NAMESPACE, DATASET)
    route = Route(method, path, handler, scope="write", within=Within.NAMESPACE, parameters=(*ids, *parameters))
    errors = (400, 404, 413, 422, 503) if accepts else route.errors
    return replace(route, returns=types.Job if of_job else types.Dataset, accepts=accepts, errors=errors)


_WAITS = "The response waits until readers see the change, three seconds at most."
DATASET_PATH = "/api/v1/namespaces/<namespace>/datasets/<dataset>"
JOB_PATH = "/api/v1/namespaces/<namespace>/jobs/<job>"
_OF_FIELD = f"{DATASET_PATH}/fields/<field>"


def _owner_routes(of: str, path: str) -> Iterator[Route]:
    add, remove = (partial(_read_owner, present=present) for present in (True, False))
    path, added = f"{path}/owners/<owner>", "an owner of that name, in any case, is replaced."
    summary, shown = f"Add an owner to a {of}; {added}", f"The {of} with the owner."
    yield change_route("POST", path, f"add_{of}_owner", summary, shown, add, OWNER, _TYPE)
    summary, shown = f"Remove an owner from a {of}, whatever events report.", f"The {of} without the owner."
    yield change_route("DELETE", path, f"remove_{of}_owner", summary, shown, remove, OWNER)


def _description_routes(of: str, path: str, described: str, stated: str) -> Iterator[Route]:
    path, thing = f"{path}/description", "job" if of == "job" else "dataset"
    summary, shown = f"Describe a {described}, in place of {stated}.", f"The {thing} with the description."
    read = _read_description
    yield change_route("PUT", path, f"describe_{of}", summary, shown, read, accepts=DescriptionToPut)
    summary = f"Withdraw a {of}'s description by this API: {stated} is shown again."
    yield change_route("DELETE", path, f"withdraw_{of}_description", summary, f"The {thing}.", _withdraw)


def _tag_routes(of: str, path: str, of_what: str, how: str = "") -> Iterator[Route]:
    path, shown = f"{path}/tags/<tag>", "job" if of == "job" else "dataset"
    tag, untag = (partial(_read_tag, present=present, of_field=of == "field") for present in (True, False))
    summary = f"Set a tag on a {of_what}{how}."
    yield change_route("POST", path, f"tag_{of}", summary, f"The {shown} with the tag.", tag, TAG)
    summary = f"Remove a tag from a {of_what}, whatever events report."
    yield change_route("DELETE", path, f"untag_{of}", summary, f"The {shown} without the tag.", untag, TAG)


TAG_ROUTES = (
    *_tag_routes("dataset", DATASET_PATH, "dataset"),
    *_tag_routes("field", f"{DATASET_PATH}/fields/<field>", "field of a dataset", ", in capitals, as in Marquez"),
    *_tag_routes("job", JOB_PATH, "job"),
)
ROUTES = (
    *_owner_routes("dataset", DATASET_PATH),
    *_owner_routes("job", JOB_PATH),
    *_description_routes("dataset", DATASET_PATH, "dataset", "its description by events"),
    *_description_routes("field", _OF_FIELD, "field of a dataset", "its schema's description"),
    *_description_routes("job", JOB_PATH, "job", "its description by events"),
)
