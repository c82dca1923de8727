"""Requests as API Gateway hands them to the API's function."""

import base64
from types import SimpleNamespace

_BELOW_ROOT = "the path without its first slash"


def proxy_event(method, path, query=None, *, headers=None, body=None, door="iam", proxy=_BELOW_ROOT):
    """Return the event of a request; a list in the query or the headers is a value for each.

    `door` says who checks callers; `proxy` is the part of the path that API Gateway matched, None for the root.
    """
    headers = dict(headers or {})
    values = {name: each if isinstance(each, list) else [str(each)] for name, each in (query or {}).items()}
    if proxy is _BELOW_ROOT:
        proxy = path[1:]
    is_bytes = isinstance(body, bytes)
    return {
        "resource": "/" if proxy is None else "/{proxy+}",
        "path": path,
        "httpMethod": method,
        "headers": headers or None,
        "multiValueHeaders": {name: each if isinstance(each, list) else [each] for name, each in headers.items()}
        or None,
        "queryStringParameters": {name: texts[-1] for name, texts in values.items()} or None,
        "multiValueQueryStringParameters": values or None,
        "pathParameters": None if proxy is None else {"proxy": proxy},
        "stageVariables": {"auth": door} if door else None,
        "requestContext": {"stage": "prod", "path": f"/prod{path}", "requestId": "r", "httpMethod": method},
        "body": base64.b64encode(body).decode() if is_bytes else body,
        "isBase64Encoded": is_bytes,
    }


def lambda_context(remaining_s=29):
    """Return the context that Lambda gives a handler."""
    return SimpleNamespace(
        function_name="f",
        memory_limit_in_mb=1024,
        invoked_function_arn="arn:f",
        aws_request_id="r",
        get_remaining_time_in_millis=lambda: remaining_s * 1000,
    )


def headers_of(response):
    """Return the headers of the function's response, each with its first value."""
    return {name: values[0] for name, values in response["multiValueHeaders"].items()}
