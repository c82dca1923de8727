"""Routes: a method on a path, its handler, and its description in the OpenAPI document."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from aws_lambda_powertools.event_handler import Response

from headwater.api.http.parameters import AnyParameter
from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import JSON
from headwater.api.services import Services

Handler: TypeAlias = Callable[[Services, HttpRequest], Response[str]]


@dataclass(frozen=True, slots=True)
class Reply:
    """A response of a route: its status, the type of its body (None: it has none), its content types and headers."""

    status: int
    body: object
    description: str
    content_types: tuple[str, ...] = (JSON,)
    headers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Route:
    """A method on a path; segments in angle brackets are ids, each percent-encoded. HEAD is answered wherever GET is.

    `returns` is the type of the body of a response with this `status`, None without a body. `linked`: a body above 4 MB
    is behind a link (303), and both responses have the `headers`. `replies` are its other responses. `accepts` is the
    type of the request's body. The handler's docstring is the operation's summary and description, and under `Returns:`
    the response's.
    """

    method: str
    path: str
    handler: Handler
    parameters: tuple[AnyParameter, ...] = ()
    returns: object = None
    status: int = 200
    linked: bool = True
    content_types: tuple[str, ...] = (JSON,)
    headers: tuple[str, ...] = ()
    replies: tuple[Reply, ...] = ()
    accepts: object = None
    errors: tuple[int, ...] = (400, 404, 503)


def operation_id(route: Route) -> str:
    """Return the id of a route's operation in the OpenAPI document: its handler's name in camel case."""
    first, *others = route.handler.__name__.split("_")
    return first + "".join(word.capitalize() for word in others)
