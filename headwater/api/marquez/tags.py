"""Routes of tags: the list, descriptions, and tags of datasets, fields and jobs.

A change of a tag is a message of ours in the log of events, and so survives a replay.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from aws_lambda_powertools.event_handler import Response

from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import respond
from headwater.api.marquez import catalogue_types
from headwater.api.marquez.annotating import DATASET_PATH, JOB_PATH, Annotating, change_route
from headwater.api.marquez.parameters import FIELD, LIMIT, OFFSET, TAG, read_paging, read_texts
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


def _tag_routes(of: str, path: str, of_what: str, how: str = "") -> Iterator[Route]:
    path, shown = f"{path}/tags/<tag>", "job" if of == "job" else "dataset"
    tag, untag = (partial(_read_tag, present=present, of_field=of == "field") for present in (True, False))
    summary = f"Set a tag on a {of_what}{how}."
    yield change_route("POST", path, f"tag_{of}", summary, f"The {shown} with the tag.", tag, TAG)
    summary = f"Remove a tag from a {of_what}, whatever events report."
    yield change_route("DELETE", path, f"untag_{of}", summary, f"The {shown} without the tag.", untag, TAG)


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
    *_tag_routes("dataset", DATASET_PATH, "dataset"),
    *_tag_routes("field", f"{DATASET_PATH}/fields/<field>", "field of a dataset", ", in capitals, as in Marquez"),
    *_tag_routes("job", JOB_PATH, "job"),
)
