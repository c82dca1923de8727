"""The API called in this process, as API Gateway calls it; every response is held against its route."""

from __future__ import annotations

import json
from dataclasses import dataclass

from tests.api_contract import check_response
from tests.gateway import headers_of, lambda_context, proxy_event

CONTEXT = lambda_context()


@dataclass(frozen=True)
class Response:
    """A response; headers by name, each with its one value."""

    status: int
    headers: dict
    body: str

    @property
    def form(self):
        """The body as JSON."""
        return json.loads(self.body)


def get(api, path, query=None, headers=None, door="iam"):
    """The answer to GET, held against its route."""
    response = respond(api, path, query, headers, door)
    check_response("GET", path, response.status, response.headers, response.body)
    return response


def respond(api, path, query=None, headers=None, door="iam", **how):
    """The answer to GET; a list in the query is a value for each, None no parameter."""
    given = {name: value for name, value in (query or {}).items() if value is not None}
    responded = api.resolve(proxy_event("GET", path, given, headers=headers, door=door, **how), CONTEXT)
    return Response(responded["statusCode"], headers_of(responded), responded["body"])
