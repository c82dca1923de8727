"""Routes of namespaces, and their JSON."""

from __future__ import annotations

from dataclasses import replace

from aws_lambda_powertools.event_handler import Response

from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import respond, respond_json
from headwater.api.marquez import catalogue_types as types
from headwater.api.marquez.parameters import LIMIT, NAMESPACE, OFFSET, read_paging, read_texts
from headwater.api.marquez.responses import require, respond_list, wait_until_shown
from headwater.api.route import Services, Within, delete_route, describe_route, list_route, read_route
from headwater.api.values import when
from headwater.queries.results.entities import Namespace

# Marquez's owner of an unclaimed namespace.
_OWNER = "anonymous"


def list_namespaces(services: Services, request: HttpRequest) -> Response[str]:
    """List the namespaces.

    Hidden ones are listed, too, as in Marquez.

    Returns:
        By name.
    """
    limit, offset = read_paging(request)
    listed = services.queries.list_namespaces(limit=limit, offset=offset)
    return respond_list(services.links, "namespaces", listed, map(render_namespace, listed.items))


def get_namespace(services: Services, request: HttpRequest) -> Response[str]:
    """Get a namespace.

    Returns:
        The namespace.
    """
    return respond_json(services.links, render_namespace(_find(services, request)))


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
    shown = wait_until_shown(
        services,
        lambda: services.queries.find_namespace(name),
        lambda namespace: namespace == replace(changed, created=namespace.created, updated=namespace.updated),
        otherwise=changed,
    )
    return respond(render_namespace(shown))


def delete_namespace(services: Services, request: HttpRequest) -> Response[str]:
    """Hide a namespace with all its jobs and datasets.

    Until an event of a later time mentions it again. Its history stays.

    Returns:
        The thing, deleted; readers see the change within seconds.
    """
    namespace = _find(services, request)
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


def _find(services: Services, request: HttpRequest) -> Namespace:
    name = NAMESPACE.read(request)
    return require(services.queries.find_namespace(name), "Namespace", name)


_NAMESPACE = "/api/v1/namespaces/<namespace>"
ROUTES = (
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
