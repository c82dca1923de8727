"""Routes of namespaces, of sources and of the list of tags, and their JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Any, TypeVar

from aws_lambda_powertools.event_handler import Response

from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import respond, respond_json
from headwater.api.marquez import catalogue_types as types
from headwater.api.marquez.parameters import LIMIT, NAMESPACE, OFFSET, SOURCE, TAG, read_paging, read_texts
from headwater.api.marquez.responses import require, respond_list, wait_until_shown
from headwater.api.route import Services, Within, delete_route, describe_route, list_route, read_route
from headwater.api.values import when
from headwater.facts.annotations import KnownTag
from headwater.queries.results.entities import DEFAULT_SOURCE as DEFAULT
from headwater.queries.results.entities import Namespace, Source

_T = TypeVar("_T", Namespace, Source, KnownTag)
# Marquez's owner of an unclaimed namespace.
_OWNER = "anonymous"


def _respond_shown(
    services: Services, find: Callable[[], _T | None], described: _T, render: Callable[[_T], Mapping[str, object]]
) -> Response[str]:
    """Respond with a thing just described, as readers see it, or after three seconds as they will see it."""
    shown = wait_until_shown(services, find, lambda known: _lasting(known) == _lasting(described), otherwise=described)
    return respond(render(shown))


def _lasting(thing: Namespace | Source | KnownTag) -> Mapping[str, Any]:
    return {name: value for name, value in asdict(thing).items() if name not in ("created", "updated")}


def list_namespaces(services: Services, request: HttpRequest) -> Response[str]:
    """List the namespaces.

    Hidden ones are listed, too, as in Marquez.

    Returns:
        By name.
    """
    listed = services.queries.list_namespaces(**read_paging(request))
    return respond_list(services.links, "namespaces", listed, map(render_namespace, listed.items))


def get_namespace(services: Services, request: HttpRequest) -> Response[str]:
    """Get a namespace.

    Returns:
        The namespace.
    """
    return respond_json(services.links, render_namespace(_find_namespace(services, request)))


def put_namespace(services: Services, request: HttpRequest) -> Response[str]:
    """Set the owner and the description of a namespace, new or known; a missing member is unset.

    A deleted namespace comes back; its jobs and datasets stay deleted until an event mentions them.

    Returns:
        The namespace as readers see it, or after three seconds as they will see it.
    """
    name, time = NAMESPACE.read(request), services.now()
    owner, description = read_texts(request.json(), "ownerName", "description")
    services.changes.put(
        "DESCRIBE", namespace=name, time=time, owner=owner, description=description, caller=request.caller
    )
    known = services.queries.find_namespace(name) or Namespace(name, time, time)
    changed = replace(known, updated=max(time, known.updated), hidden=False, owner=owner, description=description)
    return _respond_shown(services, lambda: services.queries.find_namespace(name), changed, render_namespace)


def delete_namespace(services: Services, request: HttpRequest) -> Response[str]:
    """Hide a namespace with all its jobs and datasets.

    Until an event of a later time mentions it again. Its history stays.

    Returns:
        The thing, deleted; readers see the change within seconds.
    """
    namespace = _find_namespace(services, request)
    services.changes.put("DELETE", time=services.now(), namespace=namespace.name, caller=request.caller)
    return respond_json(services.links, render_namespace(replace(namespace, hidden=True)))


def render_namespace(namespace: Namespace) -> types.Namespace:
    """Render Marquez's Namespace."""
    return {
        "name": namespace.name,
        "createdAt": when(namespace.created),
        "updatedAt": when(namespace.updated),
        "ownerName": namespace.owner or _OWNER,
        "description": namespace.description,
        "isHidden": namespace.hidden,
    }


def _find_namespace(services: Services, request: HttpRequest) -> Namespace:
    name = NAMESPACE.read(request)
    return require(services.queries.find_namespace(name), "Namespace", name)


def list_sources(services: Services, request: HttpRequest) -> Response[str]:
    """List the sources in datasets' facets `dataSource`, described sources, and `default`.

    Returns:
        By name.
    """
    listed = services.queries.list_sources(**read_paging(request))
    return respond_list(services.links, "sources", listed, map(render_source, listed.items))


def get_source(services: Services, request: HttpRequest) -> Response[str]:
    """Get a source.

    Returns:
        The source.
    """
    name = SOURCE.read(request)
    return respond_json(services.links, render_source(require(services.queries.find_source(name), "Source", name)))


def put_source(services: Services, request: HttpRequest) -> Response[str]:
    """Set the type, the connection URL and the description of a source, new or known.

    They outweigh earlier and later events.

    Returns:
        The source as readers see it, or after three seconds as they will see it.
    """
    name, time = SOURCE.read(request), services.now()
    kind, url = read_texts(request.json(), "type", "connectionUrl", required=True)
    (description,) = read_texts(request.json(), "description")
    services.changes.put(
        "DESCRIBE", source=name, time=time, type=kind, connectionUrl=url, description=description, caller=request.caller
    )
    known = services.queries.find_source(name)
    created, last = (time, time) if known is None or known == DEFAULT else (known.created, max(time, known.updated))
    changed = Source(name, kind or "", created, last, url or "", description)
    return _respond_shown(services, lambda: services.queries.find_source(name), changed, render_source)


def render_source(source: Source) -> types.Source:
    """Render Marquez's Source."""
    return {
        "type": source.type,
        "name": source.name,
        "createdAt": when(source.created),
        "updatedAt": when(source.updated),
        "connectionUrl": source.url,
        "description": source.description,
    }


def list_tags(services: Services, request: HttpRequest) -> Response[str]:
    """List the present and past tags of jobs, datasets and fields, and described tags.

    Returns:
        By name; several spellings are listed once.
    """
    listed = services.queries.list_tags(**read_paging(request))
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
    return _respond_shown(services, lambda: services.queries.find_tag(name), described, render_known_tag)


def render_known_tag(tag: KnownTag) -> types.Tag:
    """Render Marquez's Tag."""
    return {"name": tag.name, "description": tag.description}


_NAMESPACE = "/api/v1/namespaces/<namespace>"
NAMESPACE_ROUTES = (
    list_route("/api/v1/namespaces", list_namespaces, Within.SEEN, (LIMIT, OFFSET), types.Namespaces),
    read_route(_NAMESPACE, get_namespace, Within.NAMESPACE, (NAMESPACE,), types.Namespace),
    describe_route(
        _NAMESPACE,
        put_namespace,
        within=Within.NEW,
        parameters=(NAMESPACE,),
        accepts=types.NamespaceDescription,
        returns=types.Namespace,
    ),
    delete_route(_NAMESPACE, delete_namespace, parameters=(NAMESPACE,), returns=types.Namespace),
)
_SOURCE = "/api/v1/sources/<source>"
SOURCE_ROUTES = (
    list_route("/api/v1/sources", list_sources, Within.SEEN, (LIMIT, OFFSET), types.Sources),
    read_route(_SOURCE, get_source, Within.SEEN, (SOURCE,), types.Source),
    describe_route(
        _SOURCE,
        put_source,
        within=Within.DEPLOYMENT,
        parameters=(SOURCE,),
        accepts=types.SourceDescription,
        returns=types.Source,
    ),
)
TAG_ROUTES = (
    list_route("/api/v1/tags", list_tags, Within.SEEN, (LIMIT, OFFSET), types.Tags),
    describe_route(
        "/api/v1/tags/<tag>",
        put_tag,
        within=Within.DEPLOYMENT,
        parameters=(TAG,),
        accepts=types.TagDescription,
        returns=types.Tag,
    ),
)
