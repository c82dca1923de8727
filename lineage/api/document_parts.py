"""What operations of the OpenAPI document are put together from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from lineage.api.schemas import Schema, ref

Json: TypeAlias = Mapping[str, object]

JSON_TYPE = "application/json"
_ENCODED = "One path segment, percent-encoded: `/` is `%2F`."
_ERRORS = {
    "400": "A value breaks a rule.",
    "401": "By the door for tokens: none was sent, or one that is unknown, expired or revoked.",
    "403": "Not allowed: the principal, or the token's scopes, namespaces or roots.",
    "404": "Nothing of this id is known.",
    "413": "More than this API takes on.",
    "422": "A required field is missing.",
    "503": "AWS refuses for now; try again after `Retry-After` seconds.",
}


def operation(
    operation_id: str, summary: str, answers: Mapping[str, Json], *, errors: Sequence[str] = (), **more: object
) -> Json:
    """An operation with its answers and the errors of these statuses; what may fail may be refused as well."""
    statuses = sorted({*errors, "401", "403"}) if errors else ()
    schemas = {**dict.fromkeys(statuses, "Error"), "413": "TooLarge"}
    responses = {**answers, **{status: answer_of(_ERRORS[status], schemas[status]) for status in statuses}}
    return {"operationId": operation_id, "summary": summary, **more, "responses": responses}


# Whichever door the request comes by; what needs neither is refused to nobody.
SECURITY_SCHEMES: Json = {
    "sigv4": {
        "type": "apiKey",
        "in": "header",
        "name": "Authorization",
        "description": "AWS Signature Version 4, service `execute-api`: an IAM principal that may invoke the API.",
        "x-amazon-apigateway-authtype": "awsSigv4",
    },
    "bearer": {
        "type": "http",
        "scheme": "bearer",
        "description": "Where the token API is switched on: a token of `headwater token create`. Each operation names "
        "the scope that it needs (`records`, `read`, `write`, `delete`); without a name, every token will do.",
    },
}


def question(
    operation_id: str,
    summary: str,
    answer: str,
    schema: str,
    parameters: Sequence[Json] = (),
    *,
    errors: Sequence[str] = ("400", "404", "503"),
    headers: Sequence[str] = (),
    **more: object,
) -> Json:
    """A question; an answer above 4 MB is behind a link, and both have these headers."""
    answers = {"200": with_headers(answer_of(answer, schema), *headers), "303": elsewhere(*headers)}
    asked = {"parameters": list(parameters)} if parameters else {}
    return operation(operation_id, summary, answers, errors=errors, **more, **asked)


def elsewhere(*headers: str) -> Json:
    """What is answered where the answer would be too large."""
    link = answer_of("Larger than an answer may be: the same lies in S3, gzipped, for 15 minutes.", "Elsewhere")
    return with_headers(link, "Location", *headers)


def answer_of(description: str, schema: str) -> Json:
    """An answer whose body is one of the document's schemas."""
    return body_of(description, ref(schema))


def body_of(description: str, schema: Schema) -> Json:
    """An answer with a JSON body."""
    return {"description": description, "content": {JSON_TYPE: {"schema": schema}}}


def with_headers(answer: Json, *names: str) -> Json:
    """The answer with these headers."""
    return answer if not names else {**answer, "headers": {name: {"schema": {"type": "string"}} for name in names}}


def in_path(name: str, schema: Schema) -> Json:
    """An id in the path."""
    return {"name": name, "in": "path", "required": True, "description": _ENCODED, "schema": schema}


def in_query(name: str, schema: Schema, description: str, **more: object) -> Json:
    """A value of the query."""
    return {"name": name, "in": "query", "description": description, "schema": schema, **more}
