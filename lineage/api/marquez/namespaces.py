"""The routes of namespaces, and how Marquez prints them."""

from __future__ import annotations

from dataclasses import replace

from aws_lambda_powertools.event_handler import Response

from lineage.api.marquez import query
from lineage.api.marquez.answers import answer_list, answer_whole, found
from lineage.api.marquez.values import Form, when
from lineage.api.request import HttpRequest
from lineage.api.services import Services
from lineage.graph.entities import Namespace

# Whose a namespace is that nobody claimed, in Marquez.
_OWNER = "anonymous"


def list_namespaces(services: Services, request: HttpRequest) -> Response[str]:
    """The namespaces, by name; hidden ones, too, as in Marquez."""
    page = query.paging(request)
    listed = services.questions.list_namespaces(limit=page.limit, offset=page.offset)
    return answer_list(services, "namespaces", listed, map(render_namespace, listed.items))


def get_namespace(services: Services, request: HttpRequest) -> Response[str]:
    """A namespace."""
    name = request.segment("namespace")
    return answer_whole(services, render_namespace(found(services.questions.find_namespace(name), "Namespace", name)))


def delete_namespace(services: Services, request: HttpRequest) -> Response[str]:
    """Hide a namespace and all that is in it, each until an event tells of it again."""
    name = request.segment("namespace")
    namespace = found(services.questions.find_namespace(name), "Namespace", name)
    services.deletions.put(name, time=services.now(), caller=request.caller)
    return answer_whole(services, render_namespace(replace(namespace, hidden=True)))


def render_namespace(namespace: Namespace) -> Form:
    """Marquez's Namespace."""
    return {
        "name": namespace.name,
        "createdAt": when(namespace.created),
        "updatedAt": when(namespace.updated),
        "ownerName": _OWNER,
        "description": None,
        "isHidden": namespace.hidden,
    }
