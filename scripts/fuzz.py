"""Preparation of a long run of Schemathesis: the document's examples, sent to a stack, and hooks to request them.

A made-up id is nearly always unknown, and a 404 shows little: every second request has the ids of the examples.
tests/README.md has the commands.
"""

from __future__ import annotations

import json
import sys
import urllib.request
import zlib
from collections.abc import Mapping
from typing import Any

import schemathesis

from headwater.api.app import render_document
from headwater.api.document.examples import EXAMPLES

_PATHS: Mapping[str, Any] = json.loads(render_document())["paths"]


def _examples(context: schemathesis.HookContext, place: str) -> dict[str, list[Any]]:
    """Collect the examples of an operation's parameters, by name."""
    operation = context.operation
    item = _PATHS[operation.path] if operation is not None else {}
    method = operation.method.lower() if operation is not None else ""
    parameters = [*item.get("parameters", []), *item.get(method, {}).get("parameters", [])]
    return {
        parameter["name"]: parameter["schema"].get("examples", [])
        for parameter in parameters
        if parameter["in"] == place
    }


def _with_examples(
    context: schemathesis.HookContext, place: str, given: dict[str, Any] | None
) -> dict[str, Any] | None:
    """Mix the values: every second request has the examples' values; the things behind them are not deleted."""
    seed = zlib.crc32(repr(given).encode(errors="replace"))
    deletes = context.operation is not None and context.operation.method.upper() == "DELETE"
    if not given or seed % 2 or deletes:
        return given
    known = _examples(context, place)
    return {name: known[name][seed // 2 % len(known[name])] if known.get(name) else given[name] for name in given}


@schemathesis.hook
def map_path_parameters(
    context: schemathesis.HookContext, path_parameters: dict[str, Any] | None
) -> dict[str, Any] | None:
    """Choose ids of the path; some exist."""
    return _with_examples(context, "path", path_parameters)


@schemathesis.hook
def map_query(context: schemathesis.HookContext, query: dict[str, Any] | None) -> dict[str, Any] | None:
    """Choose values of the query; some exist."""
    return _with_examples(context, "query", query)


@schemathesis.hook
def before_call(context: schemathesis.HookContext, case: schemathesis.Case[Any], kwargs: dict[str, Any]) -> None:  # noqa: ARG001 - a hook's
    """Name things in the path by their names: an inferred link has the whole `id` of a dataset or job there.

    Its text has an unencoded slash, and would be the path of a different route, or of none.
    """
    for name, given in case.path_parameters.items():
        if isinstance(given, dict) and "name" in given:
            case.path_parameters[name] = given["name"]


def send_examples(api_url: str) -> None:
    """Send the events behind the document's examples."""
    for event in (*EXAMPLES["RawEvent"], *EXAMPLES["LineageEvent"]):
        body, headers = json.dumps(event).encode(), {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{api_url}/api/v1/lineage", body, headers)  # noqa: S310 - the caller's own
        with urllib.request.urlopen(request, timeout=60):  # noqa: S310 - the caller's own
            pass


if __name__ == "__main__":
    send_examples(sys.argv[1])
