"""The one place where an error becomes an HTTP response: `{"code": <status>, "message": <field, value and rule>}`."""

from __future__ import annotations

from collections.abc import Iterable

from aws_lambda_powertools.event_handler import Response
from botocore.exceptions import BotoCoreError, ClientError, ConnectionError, HTTPClientError  # noqa: A004 - botocore's

from headwater.api.http.responses import respond
from headwater.api.types import Error
from headwater.aws.retries import is_throttle
from headwater_model.errors import (
    Conflict,
    Forbidden,
    HeadwaterError,
    Invalid,
    NotFound,
    OverBudget,
    TooLarge,
    Unauthorized,
    Unavailable,
)

_STATUS: dict[type[HeadwaterError], int] = {
    Invalid: 400,
    Unauthorized: 401,
    Forbidden: 403,
    NotFound: 404,
    Conflict: 409,
    TooLarge: 413,
    OverBudget: 429,
    Unavailable: 503,
}
_MISSING = 422
_HEADERS = {401: {"WWW-Authenticate": "Bearer"}, 503: {"Retry-After": "5"}}


def render_error(error: HeadwaterError) -> Response[str]:
    """Render a domain error; 422 for a missing required field."""
    status = next(_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS)
    if isinstance(error, Invalid) and any(fault.missing for fault in error.faults):
        status = _MISSING
    headers = {"Retry-After": str(error.retry_after_s)} if isinstance(error, OverBudget) else _HEADERS.get(status, {})
    return refuse(status, str(error), headers)


def render_aws_error(error: Exception) -> Response[str]:
    """Render a refusal of AWS that passes; further errors are faults of ours, raised to the function's alarm."""
    if isinstance(error, ClientError):
        passing = is_throttle(error) or error.response["ResponseMetadata"]["HTTPStatusCode"] >= 500
    else:
        passing = isinstance(error, (ConnectionError, HTTPClientError))
    if not passing:
        raise error
    return render_error(Unavailable("an AWS service refused for now; trying again may help"))


AWS_ERRORS: list[type[Exception]] = [ClientError, BotoCoreError]


def refuse_route(path: str) -> Response[str]:
    """Refuse a path without a route."""
    return refuse(404, f"path: there is no route {path[:200]!r}; /openapi.json lists them", {})


def refuse_method(method: str, allowed: Iterable[str]) -> Response[str]:
    """Refuse a method that the route lacks."""
    listed = ", ".join(sorted(allowed))
    return refuse(405, f"method: must be {listed}, got {method!r}", {"Allow": listed})


def refuse(status: int, message: str, headers: dict[str, str]) -> Response[str]:
    """Render an error response."""
    body: Error = {"code": status, "message": message}
    return respond(body, status=status, headers=headers)
