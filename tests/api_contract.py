"""Holds each response that a test gets from the API against its route: status, headers, and the type of the body."""

import re

from pydantic import ConfigDict, TypeAdapter

from headwater.api.app import all_routes
from headwater.api.document.openapi import replies_of
from headwater.api.http.responses import CSV, JSON, LINES
from headwater.api.records.types import TraceLine

_ALWAYS = {"Content-Type", "Cache-Control", "X-Content-Type-Options"}
_SHAPES = [(re.compile(re.sub("<.*?>", "[^/]+", route.path) + "/*"), route) for route in all_routes()]
_HEADERS = {401: {"WWW-Authenticate"}, 405: {"Allow"}, 503: {"Retry-After"}}
_VALIDATORS = {}
# A response has no other fields than its type.
_CLOSED = ConfigDict(extra="forbid")
# A refused caller gets no further than the check of the caller.
_NOWHERE = (401, 403, 404, 405)


def check_response(method, path, status, headers, body):
    """Fail unless the route of this path and method documents such a response; headers by name, each with one value."""
    assert (headers["X-Content-Type-Options"], headers["Cache-Control"]) == ("nosniff", "no-store")
    reply = _reply(method, path, status)
    if reply is None:
        assert status in _NOWHERE
        return
    assert headers.keys() <= _ALWAYS | set(reply.headers) | _HEADERS.get(status, set())
    assert headers.keys() >= {"Location"} & set(reply.headers)
    if method == "HEAD":
        assert body == ""
    elif reply.body is None:
        assert (body, headers.get("Content-Type")) == ("", None)
    else:
        assert headers["Content-Type"] in reply.content_types
        _check_body(headers["Content-Type"], reply.body, body)


def _reply(method, path, status):
    requested = "GET" if method == "HEAD" else method
    routes = [route for shape, route in _SHAPES if shape.fullmatch(path) and route.method == requested]
    if not routes:
        return None
    (reply,) = (reply for reply in replies_of(routes[0]) if reply.status == status)
    return reply


def _check_body(content_type, of, body):
    if content_type == JSON:
        validator(of).validate_json(f"[{body}]", strict=True)
    elif content_type == LINES:
        for line in body.splitlines():
            validator(TraceLine).validate_json(f"[{line}]", strict=True)
    else:
        assert content_type == CSV


def validator(of):
    """Return what validates a list of this type, which must have no other fields than are documented."""
    if repr(of) not in _VALIDATORS:
        _VALIDATORS[repr(of)] = TypeAdapter(list[of], config=_CLOSED)
    return _VALIDATORS[repr(of)]
