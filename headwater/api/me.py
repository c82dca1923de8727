"""The route of the caller: what a token is good for, and which operations there are for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from aws_lambda_powertools.event_handler import Response
from typing_extensions import TypedDict

from headwater.api.access import scope_of
from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import respond
from headwater.api.route import Route, operation_id
from headwater.api.services import Services
from headwater.api.tokens import SCOPES, Scope
from headwater.api.values import when
from headwater.namespaces import EVERY_RIGHT, EVERYWHERE
from headwater.times import from_seconds


class Me(TypedDict):
    """The caller.

    `namespaces`, `references` and `roots` are names, or beginnings with `*` behind them; `*` alone is all.
    """

    caller: str | None
    """The token's id, or the ARN that API Gateway found by the signature; null where it names none."""
    scopes: list[Scope]
    namespaces: list[str]
    """Limits of what it may read, write and delete. A search of all may not be allowed: name one of them."""
    references: list[str]
    """Other namespaces whose datasets its events may name, as inputs and as sources of columns."""
    roots: list[str]
    """Limits of its records."""
    expiresAt: str | None
    """The time at which the token expires; null where it does not, and without a token."""
    stage: str
    strictNamespaces: bool
    """Neighbours in other namespaces show their id and type alone."""
    features: list[str]
    """Ids of the operations that its scopes allow, as in the OpenAPI document."""


def make_me(routes: Callable[[], Iterable[Route]]) -> Callable[[Services, HttpRequest], Response[str]]:
    """Return the route's handler; `routes` are all of the API."""

    def get_me(services: Services, request: HttpRequest) -> Response[str]:
        """Return the caller's scopes, namespaces and roots, and the operations that they allow.

        Returns:
            The caller.
        """
        token = request.token
        scopes = SCOPES if token is None else token.scopes
        body: Me = {
            "caller": request.caller,
            "scopes": list(scopes),
            "namespaces": [EVERYWHERE] if token is None else list(token.namespaces),
            "references": list(EVERY_RIGHT.references if token is None else token.references),
            "roots": [EVERYWHERE] if token is None else list(token.roots),
            "expiresAt": None if token is None or token.expires is None else when(from_seconds(token.expires)),
            "stage": request.event.request_context.stage or "",
            "strictNamespaces": services.strict_namespaces,
            "features": sorted(operation_id(route) for route in routes() if _is_allowed(route, scopes)),
        }
        return respond(body)

    return get_me


def _is_allowed(route: Route, scopes: Iterable[Scope]) -> bool:
    scope = scope_of(route.method, route.path)
    return scope is None or scope in scopes
