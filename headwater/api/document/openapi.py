"""The OpenAPI document of the HTTP API, from its routes: their types, parameters and docstrings.

It is imported when the document is first requested: Pydantic's schemas would be a third of a cold start (measured).
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from pydantic import ConfigDict, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from headwater.api import types
from headwater.api.document.examples import EXAMPLES
from headwater.api.http.parameters import AnyParameter
from headwater.api.http.responses import JSON
from headwater.api.records.types import TraceLine
from headwater.api.route import Reply, Route, operation_id

Json: TypeAlias = Mapping[str, Any]

# A response has exactly the members of its type; a request may have more.
_RESPONSE = ConfigDict(extra="forbid", use_attribute_docstrings=True)
_REQUEST = ConfigDict(use_attribute_docstrings=True)
_REF = "#/components/schemas/{model}"
_DESCRIPTION = (
    "Where data came from: which steps made a record, which jobs read and write which datasets, which columns are made "
    "of which."
)
_ERRORS = {
    400: "A value breaks a rule.",
    401: "Of the token API: no token was sent, or one that is unknown, expired or revoked.",
    403: "Not allowed: the principal, or the token's scopes, namespaces or roots.",
    404: "Nothing of this id is known.",
    413: "More than this API takes on.",
    422: "A required field is missing.",
    429: "The token's events of this minute are spent; try again after `Retry-After` seconds.",
    503: "AWS refuses for now; try again after `Retry-After` seconds.",
}
_LINKED = "Larger than a response may be: the same lies in S3, gzipped, for 15 minutes."
_HEADERS = {"Content-Disposition": "With a table: the name of its file."}
# A route without body and parameters refuses nobody.
_SECURITY_SCHEMES: Json = {
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
        "description": "Where the token API is switched on: a token, as `.venv/bin/headwater token create` of a "
        "checkout makes it. Each operation names the scope that it needs (`records`, `read`, `write`, `delete`); "
        "without a name, every token will do.",
    },
}


def build(routes: Sequence[Route], info: types.ApiInfo) -> Json:
    """Build the document of these routes."""
    schemas = _Schemas(routes)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": info["name"],
            "version": info["version"],
            "description": _DESCRIPTION,
            "license": {"name": "Apache 2.0", "identifier": "Apache-2.0"},
        },
        # Relative to the document's own address, for an API behind a stage or a domain.
        "servers": [{"url": "."}],
        "paths": _paths(routes, schemas),
        "security": [{"sigv4": []}, {"bearer": []}],
        "components": {"schemas": schemas.components(), "securitySchemes": _SECURITY_SCHEMES},
    }


def replies_of(route: Route) -> Iterator[Reply]:
    """Yield every response of a route: its own, alternatives, the link to a large response, and its errors."""
    _, _, returned = _split_docstring(route)
    yield Reply(route.status, route.returns, returned, route.content_types, route.headers)
    yield from route.replies
    if route.linked:
        yield Reply(303, types.Redirect, _LINKED, headers=("Location", *route.headers))
    # A route that may fail may refuse as well.
    budget = {429} if route.scope in ("write", "delete") else set()
    for status in sorted({*route.errors, *budget, 401, 403}) if route.errors else ():
        yield Reply(status, types.TooLarge if status == 413 else types.Error, _ERRORS[status])


class _Titleless(GenerateJsonSchema):
    """JSON Schema without Pydantic's titles, which repeat the names."""

    def field_title_should_be_set(self, schema: object) -> bool:  # noqa: ARG002 - the base class's
        return False


class _Schemas:
    """The schemas of every type in requests and responses."""

    def __init__(self, routes: Iterable[Route]) -> None:
        bodies = {repr(reply.body): reply.body for route in routes for reply in replies_of(route) if reply.body}
        # A line of a trace is in no JSON body.
        bodies[repr(TraceLine)] = TraceLine
        accepted = {repr(route.accepts): route.accepts for route in routes if route.accepts}
        self._named: dict[str, Json] = {}
        self._schemas = {**self._generate(bodies, _RESPONSE), **self._generate(accepted, _REQUEST)}

    def of(self, body: object) -> Json:
        """Render the schema of a type: a reference for a named type."""
        return self._schemas[repr(body)]

    def components(self) -> Mapping[str, Json]:
        """List the named schemas, with their examples."""
        return {
            name: {**schema, **({"examples": EXAMPLES[name]} if name in EXAMPLES else {})}
            for name, schema in sorted(self._named.items())
        }

    def _generate(self, bodies: Mapping[str, object], config: ConfigDict) -> Mapping[str, Json]:
        # A single type cannot be given a configuration, but a list of it can.
        adapters = [(key, "serialization", TypeAdapter(list[body], config=config)) for key, body in bodies.items()]  # type: ignore[valid-type]
        lists, named = TypeAdapter.json_schemas(adapters, ref_template=_REF, schema_generator=_Titleless)  # type: ignore[arg-type]
        self._named |= {name: _tidy(schema) for name, schema in named.get("$defs", {}).items()}
        return {key: schema["items"] for (key, _), schema in lists.items()}


def _tidy(schema: Json) -> Json:
    """Drop the schema's title, and the line breaks of docstrings in its descriptions."""
    text = json.dumps({name: value for name, value in schema.items() if name != "title"}, ensure_ascii=False)
    tidy: Json = json.loads(re.sub(r"(?<!\\n)\\n(?!\\n)", " ", text))
    return tidy


def _paths(routes: Iterable[Route], schemas: _Schemas) -> Mapping[str, Json]:
    paths: dict[str, dict[str, object]] = {}
    for route in routes:
        path = re.sub("<(.*?)>", r"{\1}", route.path)
        item = paths.setdefault(path, {})
        if ids := [_parameter(parameter) for parameter in route.parameters if parameter.place == "path"]:
            item["parameters"] = ids
        item[route.method.lower()] = _operation(route, schemas)
    return paths


def _operation(route: Route, schemas: _Schemas) -> Json:
    summary, description, _ = _split_docstring(route)
    operation: dict[str, object] = {"operationId": operation_id(route), "summary": summary}
    if description:
        operation["description"] = description
    if query := [_parameter(parameter) for parameter in route.parameters if parameter.place == "query"]:
        operation["parameters"] = query
    if route.accepts:
        operation["requestBody"] = {"required": True, "content": {JSON: _media(route.accepts, schemas)}}
    operation["responses"] = {str(reply.status): _response(reply, schemas) for reply in replies_of(route)}
    # The scope for a token, as OpenAPI 3.1 names roles.
    if route.scope:
        operation["security"] = [{"sigv4": []}, {"bearer": [route.scope]}]
        operation["x-token-limits"] = route.within.value
    return operation


def _media(body: object, schemas: _Schemas) -> Json:
    schema = schemas.of(body)
    name = schema.get("$ref", "").rpartition("/")[2]
    examples = {str(number): {"value": value} for number, value in enumerate(EXAMPLES.get(name, ()), 1)}
    return {"schema": schema, **({"examples": examples} if len(examples) > 1 else {})}


def _response(reply: Reply, schemas: _Schemas) -> Json:
    response: dict[str, object] = {"description": reply.description}
    if reply.body:
        response["content"] = {
            kind.partition(";")[0]: {"schema": schemas.of(reply.body) if kind == JSON else {"type": "string"}}
            for kind in reply.content_types
        }
    if reply.headers:
        response["headers"] = {
            name: {"schema": {"type": "string"}, **({"description": _HEADERS[name]} if name in _HEADERS else {})}
            for name in reply.headers
        }
    return response


def _parameter(parameter: AnyParameter) -> Json:
    return {
        "name": parameter.name,
        "in": parameter.place,
        **({"required": True} if parameter.is_required else {}),
        "description": parameter.description,
        "schema": parameter.schema,
        **({"style": "form", "explode": True} if parameter.is_repeated else {}),
    }


def _split_docstring(route: Route) -> tuple[str, str, str]:
    """Split a handler's docstring into summary, description and response."""
    text, _, returned = inspect.cleandoc(route.handler.__doc__ or "").partition("\n\nReturns:\n")
    summary, _, description = text.partition("\n\n")
    return summary.rstrip("."), _one_line(description), _one_line(returned)


def _one_line(text: str) -> str:
    return " ".join(text.split())
