"""Routes of tags: the list, descriptions, and tags of datasets, fields and jobs.

A change of a tag is a message of ours in the log of events, and so survives a replay.
"""

from __future__ import annotations

from functools import partial

from aws_lambda_powertools.event_handler import Response

from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import respond
from headwater.api.marquez import catalogue_types, types
from headwater.api.marquez.annotating import Annotating, annotate_dataset, annotate_job
from headwater.api.marquez.parameters import (
    DATASET,
    FIELD,
    JOB,
    JOB_NAMESPACE,
    LIMIT,
    NAMESPACE,
    OFFSET,
    TAG,
    read_paging,
    read_texts,
)
from headwater.api.marquez.responses import respond_list, wait_until_shown
from headwater.api.route import Route, Services, Within, describe_route, list_route
from headwater.facts.annotations import API, Annotations, Attribution, KnownTag, Tag


def list_tags(services: Services, request: HttpRequest) -> Response[str]:
    """List the present and past tags of jobs, datasets and fields, and described tags.

    Returns:
        By name; several spellings are listed once.
    """
    limit, offset = read_paging(request)
    listed = services.queries.list_tags(limit=limit, offset=offset)
    return respond_list(services.links, "tags", listed, map(render_known_tag, listed.items))


def put_tag(services: Services, request: HttpRequest) -> Response[str]:
    """Describe a tag of jobs, datasets and fields.

    Returns:
        The tag as the list shows it, or after three seconds as it will show it.
    """
    name = TAG.read(request)
    (description,) = read_texts(request.json(), "description")
    services.changes.put("TAG", time=services.now(), tag=name, description=description, caller=request.caller)
    described = KnownTag(name, description)
    shown = wait_until_shown(
        services, lambda: services.queries.find_tag(name), lambda tag: tag == described, otherwise=described
    )
    return respond(render_known_tag(shown))


def render_known_tag(tag: KnownTag) -> catalogue_types.Tag:
    """Render Marquez's Tag."""
    return {"name": tag.name, "description": tag.description}


def tag_dataset(services: Services, request: HttpRequest) -> Response[str]:
    """Set a tag on a dataset.

    Returns:
        The dataset with the tag. The response waits until readers see the change, three seconds at most.
    """
    return annotate_dataset(services, request, partial(_read_tag, present=True), of_field=False)


def untag_dataset(services: Services, request: HttpRequest) -> Response[str]:
    """Remove a tag from a dataset, whatever events report.

    Returns:
        The dataset without the tag. The response waits until readers see the change, three seconds at most.
    """
    return annotate_dataset(services, request, partial(_read_tag, present=False), of_field=False)


def tag_field(services: Services, request: HttpRequest) -> Response[str]:
    """Set a tag on a field of a dataset, in capitals, as in Marquez.

    Returns:
        The dataset with the tag. The response waits until readers see the change, three seconds at most.
    """
    read = partial(_read_tag, present=True, of_field=True)
    return annotate_dataset(services, request, read, of_field=True)


def untag_field(services: Services, request: HttpRequest) -> Response[str]:
    """Remove a tag from a field of a dataset, whatever events report.

    Returns:
        The dataset without the tag. The response waits until readers see the change, three seconds at most.
    """
    read = partial(_read_tag, present=False, of_field=True)
    return annotate_dataset(services, request, read, of_field=True)


def tag_job(services: Services, request: HttpRequest) -> Response[str]:
    """Set a tag on a job.

    Returns:
        The job with the tag. The response waits until readers see the change, three seconds at most.
    """
    return annotate_job(services, request, partial(_read_tag, present=True))


def untag_job(services: Services, request: HttpRequest) -> Response[str]:
    """Remove a tag from a job, whatever events report.

    Returns:
        The job without the tag. The response waits until readers see the change, three seconds at most.
    """
    return annotate_job(services, request, partial(_read_tag, present=False))


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


_DATASET = "/api/v1/namespaces/<namespace>/datasets/<dataset>"
_annotate = partial(Route, scope="write", within=Within.NAMESPACE)
_of_dataset = partial(
    _annotate, path=f"{_DATASET}/tags/<tag>", parameters=(NAMESPACE, DATASET, TAG), returns=types.Dataset
)
_of_field = partial(
    _annotate,
    path=f"{_DATASET}/fields/<field>/tags/<tag>",
    parameters=(NAMESPACE, DATASET, FIELD, TAG),
    returns=types.Dataset,
)
_of_job = partial(
    _annotate,
    path="/api/v1/namespaces/<namespace>/jobs/<job>/tags/<tag>",
    parameters=(JOB_NAMESPACE, JOB, TAG),
    returns=types.Job,
)
ROUTES = (
    list_route("/api/v1/tags", list_tags, Within.SEEN, (LIMIT, OFFSET), catalogue_types.Tags),
    describe_route(
        "/api/v1/tags/<tag>",
        put_tag,
        within=Within.DEPLOYMENT,
        parameters=(TAG,),
        accepts=catalogue_types.TagDescription,
        returns=catalogue_types.Tag,
    ),
    _of_dataset("POST", handler=tag_dataset),
    _of_dataset("DELETE", handler=untag_dataset),
    _of_field("POST", handler=tag_field),
    _of_field("DELETE", handler=untag_field),
    _of_job("POST", handler=tag_job),
    _of_job("DELETE", handler=untag_job),
)
