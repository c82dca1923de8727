"""Transports in the spelling of OpenLineage's Java client in Spark's conf, translated for openlineage-python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# Keys with another name in openlineage-python.
_RENAMED = {
    "http": {"headers": "custom_headers"},
    "kafka": {"topicName": "topic", "properties": "config"},
    "file": {"location": "log_file_path"},
    "composite": {"continueOnFailure": "continue_on_failure", "continueOnSuccess": "continue_on_success"},
}
# Keys of mappings with free keys, dots included: `headers.x.y` has the key `x.y`.
_MAPS = ("headers", "properties", "custom_headers", "config")


def translate_transport(conf: Mapping[str, str]) -> dict[str, Any] | None:
    """Translate the entries under `spark.openlineage.transport.` for openlineage-python; None without a type.

    >>> translate_transport({"type": "http", "url": "http://h", "timeoutInMillis": "500", "headers.x.y": "1"})
    {'type': 'http', 'url': 'http://h', 'timeout': 0.5, 'custom_headers': {'x.y': '1'}}
    """
    kind = conf.get("type")
    if not kind:
        return None
    own = {key: value for key, value in conf.items() if kind != "composite" or not key.startswith("transports.")}
    names = _RENAMED.get(kind, {})
    transport = dict(_valued(names.get(key, key), value) for key, value in _nested(own).items())
    # Each transport of a composite has its own type and keys.
    if kind == "composite":
        inner = dict.fromkeys(key.split(".")[1] for key in conf if key.startswith("transports."))
        transports = {name: translate_transport(under(f"transports.{name}.", conf)) for name in inner}
        transport["transports"] = {
            name: inner_transport for name, inner_transport in transports.items() if inner_transport
        }
    if kind == "file":
        transport.setdefault("append", True)  # as the Java client does
    return transport


def under(prefix: str, conf: Mapping[str, str]) -> dict[str, str]:
    """Cut a prefix from keys: `under("a.", {"a.b": "1", "c": "2"})` is `{"b": "1"}`."""
    return {key.removeprefix(prefix): value for key, value in conf.items() if key.startswith(prefix)}


def _nested(conf: Mapping[str, str]) -> dict[str, Any]:
    """Nest keys at their dots: `{"a.b": "1"}` is `{"a": {"b": "1"}}`, also if `a` has a value."""
    nested: dict[str, Any] = {}
    for key, value in sorted(conf.items()):
        first, _, rest = key.partition(".")
        path = [first, rest] if first in _MAPS and rest else key.split(".")
        inner = nested
        for name in path[:-1]:
            if not isinstance(inner.get(name), dict):
                inner[name] = {}
            inner = inner[name]
        inner[path[-1]] = value
    return {key: nested[key] for key in dict.fromkeys(key.split(".")[0] for key in conf)}


def _valued(key: str, value: Any) -> tuple[str, Any]:
    if key == "timeoutInMillis" and str(value).isdigit():
        return "timeout", int(value) / 1000
    if value in ("true", "false"):
        return key, value == "true"
    return key, value
