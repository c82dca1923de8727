"""The context values of a deployer, read once and refused when wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from headwater.features import FEATURES
from headwater_model.errors import Fault, Invalid
from infra.context_values import (
    Reader,
    choice,
    either,
    flag,
    integer,
    listed,
    namespaces,
    or_none,
    text,
    text_or_none,
    within,
)

# The modules with context values of features, by the feature's name.
FEATURES_CONTEXT = {feature.name: import_module(feature.context) for feature in FEATURES if feature.context}
_NAME = re.compile(r"[a-z][a-z0-9-]{0,19}")
_NAME_RULE = "must be a lower-case letter, then at most 19 letters, digits and hyphens"
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
# Web ACLs of the scope CLOUDFRONT protect no API.
_WEB_ACL_ARN = re.compile(r"arn:aws[a-z-]*:wafv2:[a-z0-9-]+:[0-9]{12}:regional/webacl/[\w-]+/[0-9a-f-]{36}")
# S3 keeps objects locked for at most 100 years.
_OBJECT_LOCK = re.compile(r"(governance|compliance):([1-9][0-9]{0,4})")
_OBJECT_LOCK_DAYS_MAX = 36_500
# WAF's bounds for the rate of a rule, in five minutes.
_REQUESTS_MIN, _REQUESTS_MAX = 10, 100_000_000
_CONCURRENCY_MAX = 100_000
# Both with Spark 3.5, Python 3.11 and Java 17, newest first: a few regions lag behind.
GLUE_VERSIONS = ("5.1", "5.0")
_HOURS_IN_A_YEAR = 8760
_SCAN_GB_MAX = 1_000_000


@dataclass(frozen=True, slots=True)
class ObjectLock:
    """The time for which S3 lets nobody (in compliance mode), or few principals, remove objects of the archive."""

    days: int
    compliance: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StackContext:
    """The context values of a deployment; the defaults are production's. cdk.json describes each."""

    stage: str = "prod"
    name_prefix: str = ""
    records_ttl_hours: int = 24
    retain: bool = True
    alarm_email: str | None = None
    alarm_ok: bool = False
    dashboard: bool = False
    token_api: bool = False
    strict_namespaces: bool = False
    compaction_hour_utc: int = 0
    partition_trimming: bool = True
    temporary_patterns: tuple[str, ...] | None = None
    drop_running_events: tuple[str, ...] = ()
    search_scan_gb: int = 10
    glue_version: str = "5.1"
    sign_digests: bool = False
    web_acl_arn: str | None = None
    requests_per_address: int | None = None
    api_concurrency: int | None = None
    snap_start: bool = False
    object_lock: ObjectLock | None = None
    boto3_client: bool = False
    layer: bool = True
    # Values of the active features, by the feature's name.
    features: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The beginning of names that a service does not make: `headwater-prod`."""
        return f"{self.name_prefix}headwater-{self.stage}"

    @property
    def stack(self) -> str:
        """The name of the stack; the names that CloudFormation makes begin with it."""
        return f"{self.name_prefix}Headwater-{self.stage}"

    @property
    def records_ttl_s(self) -> int:
        """The time to live of a record, in seconds."""
        return self.records_ttl_hours * 3600


def parse_context(context: Mapping[str, object]) -> StackContext:
    """Parse the values in the CDK context: `-c` gives text, cdk.json gives JSON, and both are read.

    A key with `/` or `:` is a feature flag, a comment or the CDK's own. Any further key must be a known name: a
    misspelled `retention` would deploy the default in silence.

    Raises:
        Invalid: with every wrong value, its name and the rule, all at once.

    >>> parse_context({"stage": "dev", "records_ttl_hours": "48", "retention": "destroy"}).records_ttl_s
    172800
    """
    reader, default = Reader(context, NAMES), StackContext()
    values = {field: reader.read(name, parse, getattr(default, field)) for name, (field, parse) in _VALUES.items()}
    choices = StackContext(**values, features=_of_features(reader))
    if faults := [*reader.faults, *_faults_between(choices)]:
        raise Invalid(faults)
    return choices


def _faults_between(choices: StackContext) -> Iterator[Fault]:
    """Yield the faults of two values together."""
    if choices.web_acl_arn and choices.requests_per_address:
        rule = "must not be given with web_acl_arn: a stage has one web ACL, and yours can have the rule"
        yield Fault("requests_per_address", choices.requests_per_address, rule)


def _of_features(reader: Reader) -> Mapping[str, object]:
    """Read the values of the active features, by the feature's name."""
    read = {name: module.read(reader) for name, module in FEATURES_CONTEXT.items()}
    return {name: values for name, values in read.items() if values is not None}


def _object_lock(value: object) -> ObjectLock:
    match = _OBJECT_LOCK.fullmatch(value) if isinstance(value, str) else None
    if match and int(match[2]) <= _OBJECT_LOCK_DAYS_MAX:
        return ObjectLock(days=int(match[2]), compliance=match[1] == "compliance")
    raise ValueError(f"must be governance:DAYS or compliance:DAYS of 1 to {_OBJECT_LOCK_DAYS_MAX} days")


def _patterns(value: object) -> tuple[str, ...] | None:
    """Parse regular expressions; None for `default`, the built-in patterns, empty for `none` or an empty list."""
    if value == "default":
        return None
    patterns = listed(value)
    try:
        for pattern in patterns:
            re.compile(pattern)
    except (re.error, TypeError) as error:
        raise ValueError(f"must be regular expressions ({error})") from error
    within(json.dumps(patterns))
    return tuple(patterns)


# The core's values: the field of each, and its parser.
_VALUES: Mapping[str, tuple[str, Callable[[object], Any]]] = {
    "stage": ("stage", text(_NAME, _NAME_RULE)),
    "name_prefix": ("name_prefix", lambda value: or_none(text(_NAME, _NAME_RULE))(value) or ""),
    "records_ttl_hours": ("records_ttl_hours", integer(1, _HOURS_IN_A_YEAR)),
    "retention": ("retain", choice(retain=True, destroy=False)),
    "alarm_email": ("alarm_email", text_or_none(_EMAIL, "an e-mail address")),
    "alarm_ok": ("alarm_ok", flag),
    "dashboard": ("dashboard", flag),
    "auth": ("token_api", choice(iam=False, token=True)),
    "strict_namespaces": ("strict_namespaces", flag),
    "compaction_hour_utc": ("compaction_hour_utc", integer(0, 23)),
    "partition_trimming": ("partition_trimming", flag),
    "temporary_patterns": ("temporary_patterns", _patterns),
    "drop_running_events": ("drop_running_events", namespaces),
    "search_scan_gb": ("search_scan_gb", integer(1, _SCAN_GB_MAX)),
    "glue_version": ("glue_version", either(*GLUE_VERSIONS)),
    "sign_digests": ("sign_digests", flag),
    "web_acl_arn": ("web_acl_arn", text_or_none(_WEB_ACL_ARN, "the ARN of a regional web ACL of WAFv2")),
    "requests_per_address": ("requests_per_address", or_none(integer(_REQUESTS_MIN, _REQUESTS_MAX))),
    "api_concurrency": ("api_concurrency", or_none(integer(1, _CONCURRENCY_MAX))),
    "snap_start": ("snap_start", flag),
    "object_lock": ("object_lock", or_none(_object_lock)),
    "dynamodb_client": ("boto3_client", choice(own=False, boto3=True)),
    "layer": ("layer", flag),
}
NAMES = (*_VALUES, *(name for module in FEATURES_CONTEXT.values() for name in module.NAMES))
