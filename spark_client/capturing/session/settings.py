"""Settings of a capture: from Spark's conf, then the environment, then a default for each.

A faulty value is logged once, and the default is used.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from spark_client.capturing.datasets.name_rules import (
    NameRules,
    NamespaceResolver,
    parse_aliases,
    parse_removal,
    parse_replacements,
    parse_resolver,
)
from spark_client.capturing.events.descriptions import Description, Owner, Tag, parse_tags
from spark_client.capturing.session.started_by import parse_started_by
from spark_client.capturing.session.transport_conf import translate_transport, under
from spark_client.current_run import JobRun
from spark_client.transport.choose import VARIABLES
from spark_client.transport.destination import Destination

_log = logging.getLogger("headwater.capture")
_OURS = "spark.headwater."
_CAPTURE = "spark.headwater.capture."
_OPENLINEAGE = "spark.openlineage."
# Beginnings of the keys of all settings.
PREFIXES = (_OURS, _OPENLINEAGE)


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a capture.

    Attributes:
        namespace, app_name: of the application's job; None for Spark's own name.
        parent, root: the run above the application, and the run at the root.
        destination: Headwater's location; its fields are None without a setting.
        transport: of openlineage-python, in its spelling.
        reads: True to report queries with rows for the program, as in `collect`.
        sql: True if events contain statements, at most `sql_max_chars` of each, without the matches of the regular
            expressions `redactions`.
        event_max_bytes: largest size of a write's event; larger events are cut.
        executions_max: executions in the queue for reading; each keeps its plan in the JVM's memory.
        plan_max_nodes, plan_max_chars, plan_max_ms: of a plan; a larger plan is read in less detail.
        events_max, events_max_bytes: of the queue for sending; further events are dropped.
        flush_s: longest wait for sending at the end of the program.
        stream_interval_s: least time between two events of a streaming run.
        trims_partitions: True if names leave out partitions and dates.
        names: rules for the names of datasets.
        description: text, owners and tags of the application's job and run.
        connect_columns: True to read columns on Spark Connect, by requests to the server.
        handle_sigterm: True to send at SIGTERM, too, if the program has no handler of its own.
    """

    enabled: bool = True
    namespace: str = "default"
    app_name: str | None = None
    parent: JobRun | None = None
    root: JobRun | None = None
    destination: Destination = field(default_factory=Destination)
    transport: Mapping[str, Any] | None = None
    reads: bool = False
    sql: bool = True
    sql_max_chars: int = 20_000
    redactions: tuple[re.Pattern[str], ...] = ()
    event_max_bytes: int = 1_000_000
    executions_max: int = 500
    plan_max_nodes: int = 150_000
    plan_max_chars: int = 12_000_000
    plan_max_ms: int = 1_000
    events_max: int = 10_000
    events_max_bytes: int = 64_000_000
    flush_s: float = 10.0
    stream_interval_s: float = 60.0
    connect_columns: bool = True
    handle_sigterm: bool = True
    trims_partitions: bool = True
    names: NameRules = field(default_factory=NameRules)
    description: Description = field(default_factory=Description)


def parse_settings(conf: Mapping[str, str], environment: Mapping[str, str]) -> Settings:
    """Parse the settings in a Spark conf and an environment; log a warning for each faulty value.

    >>> parse_settings({"spark.headwater.capture.flushSeconds": "30"}, {}).flush_s
    30.0
    """
    # A faulty value is None here, and leaves the class's default.
    settings = {name: _read(conf, key, parse) for name, (key, parse) in _RULES.items() if key in conf}
    known: dict[str, Any] = {name: value for name, value in settings.items() if value is not None}
    if environment.get("OPENLINEAGE_DISABLED", "").strip().lower() == "true":
        known["enabled"] = False
    started_by = parse_started_by(conf, environment)
    return Settings(
        namespace=conf.get(f"{_OPENLINEAGE}namespace") or environment.get("OPENLINEAGE_NAMESPACE") or "default",
        app_name=conf.get(f"{_OPENLINEAGE}appName") or None,
        parent=started_by.parent,
        root=started_by.root,
        destination=_destination(conf, environment),
        transport=translate_transport(under(f"{_OPENLINEAGE}transport.", conf)),
        names=_names(conf),
        description=_description(conf),
        **known,
    )


def _names(conf: Mapping[str, str]) -> NameRules:
    rules = {name: _read(conf, key, parse) for name, (key, parse) in _NAME_RULES.items() if key in conf}
    keys = under(_RESOLVERS, conf)
    resolvers = [_resolver(name, keys) for name in sorted({key.rpartition(".")[0] for key in keys})]
    known: dict[str, Any] = {name: value for name, value in rules.items() if value is not None}
    return NameRules(resolvers=tuple(each for each in resolvers if each is not None), **known)


def _resolver(name: str, keys: Mapping[str, str]) -> NamespaceResolver | None:
    own = under(f"{name}.", keys)
    try:
        return parse_resolver(name, own)
    except ValueError as error:
        _log.warning("%s%s is %r: %s; it is left out", _RESOLVERS, name, own, error)
        return None


def _description(conf: Mapping[str, str]) -> Description:
    owners = under(f"{_OPENLINEAGE}job.owners.", conf)
    return Description(
        text=conf.get(f"{_CAPTURE}description", "").strip() or None,
        owners=tuple(Owner(name.strip(), kind) for kind, name in sorted(owners.items()) if name.strip()),
        job_tags=_tags(conf, f"{_OPENLINEAGE}job.tags"),
        run_tags=_tags(conf, f"{_OPENLINEAGE}run.tags"),
    )


def _tags(conf: Mapping[str, str], key: str) -> tuple[Tag, ...]:
    return _read(conf, key, parse_tags) or () if key in conf else ()


def _read(conf: Mapping[str, str], key: str, parse: Callable[[str], Any]) -> Any:
    try:
        return parse(conf[key])
    except ValueError as error:
        _log.warning("%s is %r: %s; the default is taken", key, conf[key], error)
        return None


def _switch(text: str) -> bool:
    if text.strip().lower() not in ("true", "false"):
        raise ValueError("must be true or false")
    return text.strip().lower() == "true"


def _positive(text: str) -> int:
    if not text.strip().isdigit() or int(text) == 0:
        raise ValueError("must be a whole number above 0")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 3600:
        raise ValueError("must be seconds, from 0 to 3600")
    return seconds


def _patterns(text: str) -> tuple[re.Pattern[str], ...]:
    try:
        return tuple(re.compile(line.strip()) for line in text.splitlines() if line.strip())
    except re.error as error:
        raise ValueError(f"must be regular expressions, one a line ({error})") from error


_RESOLVERS = f"{_OPENLINEAGE}dataset.namespaceResolvers."
_NAME_RULES: dict[str, tuple[str, Callable[[str], Any]]] = {
    "remove": (f"{_OPENLINEAGE}dataset.removePath.pattern", parse_removal),
    "replacements": (f"{_CAPTURE}datasetReplacements", parse_replacements),
    "aliases": (f"{_CAPTURE}datasetAliases", parse_aliases),
}
_RULES: dict[str, tuple[str, Callable[[str], Any]]] = {
    "enabled": (f"{_CAPTURE}enabled", _switch),
    "reads": (f"{_CAPTURE}reads", _switch),
    "sql": (f"{_CAPTURE}sql", _switch),
    "sql_max_chars": (f"{_CAPTURE}sqlMaxChars", _positive),
    "redactions": (f"{_CAPTURE}redactions", _patterns),
    "event_max_bytes": (f"{_CAPTURE}eventMaxBytes", _positive),
    "executions_max": (f"{_CAPTURE}executionsMax", _positive),
    "plan_max_nodes": (f"{_CAPTURE}planMaxNodes", _positive),
    "plan_max_chars": (f"{_CAPTURE}planMaxChars", _positive),
    "plan_max_ms": (f"{_CAPTURE}planMaxMillis", _positive),
    "events_max": (f"{_CAPTURE}eventsMax", _positive),
    "events_max_bytes": (f"{_CAPTURE}eventsMaxBytes", _positive),
    "flush_s": (f"{_CAPTURE}flushSeconds", _seconds),
    "stream_interval_s": (f"{_CAPTURE}streamSeconds", _seconds),
    "connect_columns": (f"{_CAPTURE}connectColumns", _switch),
    "trims_partitions": (f"{_CAPTURE}trimPartitions", _switch),
    "handle_sigterm": (f"{_CAPTURE}handleSigterm", _switch),
}


def _destination(conf: Mapping[str, str], environment: Mapping[str, str]) -> Destination:
    """Take the environment's location, or else the conf's; token and auth may come from either."""
    from_environment = {name: environment.get(variable) or None for name, variable in VARIABLES.items()}
    from_conf = {name: conf.get(f"{_OURS}{name}") or None for name in VARIABLES}
    places = ("url", "function", "file")
    placed = from_environment if any(from_environment[place] for place in places) else from_conf
    return Destination(
        **{name: placed[name] for name in places},
        token=from_environment["token"] or from_conf["token"],
        auth=from_environment["auth"] or from_conf["auth"],
    )
