"""Routes of tags."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response

from lineage.api.marquez import types
from lineage.api.marquez.parameters import LIMIT, OFFSET, read_paging
from lineage.api.marquez.responses import respond_list
from lineage.api.request import HttpRequest
from lineage.api.route import Route
from lineage.api.services import Services
from lineage.graph.annotations import KnownTag


def list_tags(services: Services, request: HttpRequest) -> Response[str]:
    """List the tags that jobs, datasets and fields have or had.

    Returns:
        By name; of several spellings one.
    """
    limit, offset = read_paging(request)
    listed = services.queries.list_tags(limit=limit, offset=offset)
    return respond_list(services.links, "tags", listed, map(render_known_tag, listed.items))


def render_known_tag(tag: KnownTag) -> types.Tag:
    """Return Marquez's Tag."""
    return {"name": tag.name, "description": tag.description}


ROUTES = (Route("GET", "/api/v1/tags", list_tags, parameters=(LIMIT, OFFSET), returns=types.Tags, errors=(400, 503)),)
