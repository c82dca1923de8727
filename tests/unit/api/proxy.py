"""The API asked in this process, as API Gateway asks it; every answer is held against the OpenAPI document."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from types import SimpleNamespace

from jsonschema import Draft202012Validator

from lineage.api.document import build

_DOCUMENT = json.loads(json.dumps(build()))
_PATHS = [(re.compile(re.sub("{.*?}", "[^/]+", path)), item) for path, item in _DOCUMENT["paths"].items()]
_CONTEXT = SimpleNamespace(
    function_name="f",
    memory_limit_in_mb=1024,
    invoked_function_arn="arn:f",
    aws_request_id="r",
    get_remaining_time_in_millis=lambda: 29_000,
)


@dataclass(frozen=True)
class Answer:
    """What came back; headers by name, each with its one value."""

    status: int
    headers: dict
    body: str

    @property
    def form(self):
        """The body as JSON."""
        return json.loads(self.body)


def ask(api, path, query=None, headers=None, door="iam"):
    """The answer to GET; a list in the query is a value for each, `door` says who checks callers."""
    values = {
        name: value if isinstance(value, list) else [str(value)]
        for name, value in (query or {}).items()
        if value is not None
    }
    answered = api.resolve(
        {
            "resource": "/{proxy+}",
            "path": path,
            "httpMethod": "GET",
            "headers": headers,
            "multiValueHeaders": {name: [value] for name, value in headers.items()} if headers else None,
            "queryStringParameters": {name: some[-1] for name, some in values.items()} or None,
            "multiValueQueryStringParameters": values or None,
            "pathParameters": {"proxy": path[1:]},
            "stageVariables": {"auth": door},
            "requestContext": {"stage": "prod", "path": path, "requestId": "r", "httpMethod": "GET"},
            "body": None,
            "isBase64Encoded": False,
        },
        _CONTEXT,
    )
    sent = {name: some[0] for name, some in answered["multiValueHeaders"].items()}
    answer = Answer(answered["statusCode"], sent, answered["body"])
    _check_documented(path, answer)
    return answer


def _check_documented(path, answer):
    # The router lets slashes at the end pass.
    path = path.rstrip("/") or "/"
    (operation,) = [item["get"] for shape, item in _PATHS if shape.fullmatch(path) and "get" in item][:1]
    response = operation["responses"][str(answer.status)]
    kind = answer.headers["Content-Type"].partition(";")[0]
    schema = response["content"][kind]["schema"]
    form = answer.form if kind == "application/json" else answer.body
    Draft202012Validator({**schema, "components": _DOCUMENT["components"]}).validate(form)
    assert (answer.headers["X-Content-Type-Options"], answer.headers["Cache-Control"]) == ("nosniff", "no-store")
    always = {"Content-Type", "Cache-Control", "X-Content-Type-Options"}
    assert answer.headers.keys() <= always | response.get("headers", {}).keys()
