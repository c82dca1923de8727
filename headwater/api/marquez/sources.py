"""Routes of sources, and their JSON."""

from __future__ import annotations

from dataclasses import replace

from aws_lambda_powertools.event_handler import Response

from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import respond, respond_json
from headwater.api.marquez import catalogue_types as types
from headwater.api.marquez.parameters import LIMIT, OFFSET, SOURCE, read_paging, read_texts
from headwater.api.marquez.responses import require, respond_list, wait_until_shown
from headwater.api.route import Services, Within, describe_route, list_route, read_route
from headwater.api.values import when
from headwater.queries.results.entities import DEFAULT_SOURCE as DEFAULT
from headwater.queries.results.entities import Source


def list_sources(services: Services, request: HttpRequest) -> Response[str]:
    """List the sources in datasets' facets `dataSource`, described sources, and `default`.

    Returns:
        By name.
    """
    limit, offset = read_paging(request)
    listed = services.queries.list_sources(limit=limit, offset=offset)
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
    shown = wait_until_shown(
        services,
        lambda: services.queries.find_source(name),
        lambda source: source == replace(changed, created=source.created, updated=source.updated),
        otherwise=changed,
    )
    return respond(render_source(shown))


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


_SOURCE = "/api/v1/sources/<source>"
ROUTES = (
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
