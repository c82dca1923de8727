"""The API called in this process, as API Gateway calls it; every response is held against its route."""

from __future__ import annotations

import json
from dataclasses import dataclass
from types import SimpleNamespace

from tests.api_contract import check_response

_CONTEXT = SimpleNamespace(
    function_name="f",
    memory_limit_in_mb=1024,
    invoked_function_arn="arn:f",
    aws_request_id="r",
    get_remaining_time_in_millis=lambda: 29_000,
)


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


_BELOW_ROOT = "the path without its first slash"


def respond(api, path, query=None, headers=None, door="iam", proxy=_BELOW_ROOT):
    """The answer to GET; a list in the query is a value for each, `door` says who checks callers.

    `proxy` is the part of the path that API Gateway matched; None for the root.
    """
    if proxy is _BELOW_ROOT:
        proxy = path[1:]
    values = {
        name: value if isinstance(value, list) else [str(value)]
        for name, value in (query or {}).items()
        if value is not None
    }
    responded = api.resolve(
        {
            "resource": "/" if proxy is None else "/{proxy+}",
            "path": path,
            "httpMethod": "GET",
            "headers": headers,
            "multiValueHeaders": {
                name: value if isinstance(value, list) else [value] for name, value in (headers or {}).items()
            }
            or None,
            "queryStringParameters": {name: texts[-1] for name, texts in values.items()} or None,
            "multiValueQueryStringParameters": values or None,
            "pathParameters": None if proxy is None else {"proxy": proxy},
            "stageVariables": {"auth": door} if door else None,
            "requestContext": {"stage": "prod", "path": path, "requestId": "r", "httpMethod": "GET"},
            "body": None,
            "isBase64Encoded": False,
        },
        _CONTEXT,
    )
    sent = {name: texts[0] for name, texts in responded["multiValueHeaders"].items()}
    return Response(responded["statusCode"], sent, responded["body"])
