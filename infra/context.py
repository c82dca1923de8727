"""The context values that a deployer may set, read once and refused when wrong."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar
from urllib.parse import SplitResult, urlsplit

from headwater.features.alerts.rules import parse_alert_rules
from headwater_model.errors import Fault, Invalid

T = TypeVar("T")

NAMES = (
    "stage",
    "records_ttl_hours",
    "retention",
    "alarm_email",
    "auth",
    "strict_namespaces",
    "compaction_hour_utc",
    "partition_trimming",
    "temporary_patterns",
    "drop_running_events",
    "forward_url",
    "forward_namespaces",
    "forward_secret",
    "search_scan_gb",
    "graph_tables",
    "sign_digests",
    "web_acl_arn",
    "requests_per_address",
    "api_concurrency",
    "object_lock",
    "dynamodb_client",
    "alerts",
    "alert_rules",
    "layer",
)
_STAGE = re.compile(r"[a-z][a-z0-9-]{0,19}")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
# Web ACLs of the scope CLOUDFRONT protect no API.
_WEB_ACL_ARN = re.compile(r"arn:aws[a-z-]*:wafv2:[a-z0-9-]+:[0-9]{12}:regional/webacl/[\w-]+/[0-9a-f-]{36}")
_URL = re.compile(r"https?://[!-~]+")
# A name, or an ARN with the six characters that Secrets Manager puts behind the name.
_SECRET = re.compile(r"[\w/+=.@-]{1,512}|arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:[\w/+=.@-]+-\w{6}")
# S3 keeps objects locked for at most 100 years.
_OBJECT_LOCK = re.compile(r"(governance|compliance):([1-9][0-9]{0,4})")
_OBJECT_LOCK_DAYS_MAX = 36_500
# WAF's bounds for the rate of a rule, in five minutes.
# Ids of a workspace and a channel, as AWS Chatbot takes them; an API destination of EventBridge takes HTTPS alone.
_SLACK = re.compile(r"slack:(T[0-9A-Z]{1,254}/[CGD][0-9A-Z]{1,254})")
_WEBHOOK = re.compile(r"https://[^\s/?#]+\.[^\s]{1,480}")
_REQUESTS_MIN, _REQUESTS_MAX = 10, 100_000_000
_CONCURRENCY_MAX = 100_000
_HOURS_IN_A_YEAR = 8760
_SCAN_GB_MAX = 1_000_000


@dataclass(frozen=True, slots=True)
class ObjectLock:
    """The time for which S3 lets no principal (in compliance mode), or few, remove objects of the archive."""

    days: int
    compliance: bool


@dataclass(frozen=True, slots=True)
class ForwardTo:
    """The endpoint, the patterns of namespaces whose events it gets, and the secret with its token, if it needs one."""

    url: str
    namespaces: tuple[str, ...] = ("*",)
    secret: str | None = None


@dataclass(frozen=True, slots=True)
class AlertTarget:
    """The place to which alerts go: the event bus alone, a topic, a channel of Slack, or an HTTPS endpoint.

    `address` is `<workspace>/<channel>` for Slack, and the URL of a webhook.
    """

    kind: Literal["eventbridge", "sns", "slack", "webhook"]
    address: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StackContext:
    """The context values of one deployment; the defaults are those of production. cdk.json describes each."""

    stage: str = "prod"
    records_ttl_hours: int = 24
    retain: bool = True
    alarm_email: str | None = None
    token_api: bool = False
    strict_namespaces: bool = False
    compaction_hour_utc: int = 0
    partition_trimming: bool = True
    temporary_patterns: tuple[str, ...] | None = None
    drop_running_events: tuple[str, ...] = ()
    forward_to: ForwardTo | None = None
    search_scan_gb: int = 10
    graph_tables: bool = False
    sign_digests: bool = False
    web_acl_arn: str | None = None
    requests_per_address: int | None = None
    api_concurrency: int | None = None
    object_lock: ObjectLock | None = None
    boto3_client: bool = False
    alerts: AlertTarget | None = None
    alert_rules: str = ""
    layer: bool = True

    @property
    def records_ttl_s(self) -> int:
        """The time to live of a record, in seconds."""
        return self.records_ttl_hours * 3600


def parse_context(context: Mapping[str, object]) -> StackContext:
    """Return the values in the CDK context: `-c` gives text, cdk.json gives JSON, and both are read.

    A key with `/` or `:` is a feature flag, a comment or the CDK's own; every other key must be a known name, so that a
    misspelled `retention` does not deploy the default in silence.

    Raises:
        Invalid: with every wrong value, its name and the rule, all at once.

    >>> parse_context({"stage": "dev", "records_ttl_hours": "48", "retention": "destroy"}).records_ttl_s
    172800
    """
    reader, default = _Reader(context), StackContext()
    choices = StackContext(
        stage=reader.read("stage", _stage, default.stage),
        records_ttl_hours=reader.read("records_ttl_hours", _integer(1, _HOURS_IN_A_YEAR), default.records_ttl_hours),
        retain=reader.read("retention", _choice(retain=True, destroy=False), default.retain),
        alarm_email=reader.read("alarm_email", _email, default.alarm_email),
        compaction_hour_utc=reader.read("compaction_hour_utc", _integer(0, 23), default.compaction_hour_utc),
        token_api=reader.read("auth", _choice(iam=False, token=True), default.token_api),
        strict_namespaces=reader.read("strict_namespaces", _choice(true=True, false=False), default.strict_namespaces),
        partition_trimming=reader.read(
            "partition_trimming", _choice(true=True, false=False), default.partition_trimming
        ),
        temporary_patterns=reader.read("temporary_patterns", _patterns, default.temporary_patterns),
        drop_running_events=reader.read("drop_running_events", _namespaces, default.drop_running_events),
        forward_to=_forward_to(reader),
        search_scan_gb=reader.read("search_scan_gb", _integer(1, _SCAN_GB_MAX), default.search_scan_gb),
        graph_tables=reader.read("graph_tables", _choice(true=True, false=False), default.graph_tables),
        sign_digests=reader.read("sign_digests", _choice(true=True, false=False), default.sign_digests),
        web_acl_arn=reader.read("web_acl_arn", _web_acl_arn, default.web_acl_arn),
        requests_per_address=reader.read(
            "requests_per_address", _number_or_none(_REQUESTS_MIN, _REQUESTS_MAX), default.requests_per_address
        ),
        api_concurrency=reader.read("api_concurrency", _number_or_none(1, _CONCURRENCY_MAX), default.api_concurrency),
        object_lock=reader.read("object_lock", _object_lock, default.object_lock),
        boto3_client=reader.read("dynamodb_client", _choice(own=False, boto3=True), default.boto3_client),
        alerts=reader.read("alerts", _alert_target, default.alerts),
        alert_rules=reader.read("alert_rules", _alert_rules, default.alert_rules),
        layer=reader.read("layer", _choice(true=True, false=False), default.layer),
    )
    if faults := [*reader.faults, *_faults_between(choices)]:
        raise Invalid(faults)
    return choices


def _faults_between(choices: StackContext) -> Iterator[Fault]:
    """Yield the faults of values that exclude or need each other."""
    if choices.web_acl_arn and choices.requests_per_address:
        rule = "must not be given with web_acl_arn: a stage has one web ACL, and yours can have the rule"
        yield Fault("requests_per_address", choices.requests_per_address, rule)
    if choices.alert_rules and choices.alerts is None:
        yield Fault("alert_rules", choices.alert_rules, "must not be given without alerts")


def _forward_to(reader: _Reader) -> ForwardTo | None:
    """Return where events are forwarded to; a fault if a namespace or a secret is given, and no URL."""
    url = reader.read("forward_url", _forward_url, None)
    nowhere: tuple[str, ...] = ()
    namespaces = reader.read("forward_namespaces", _namespaces, nowhere)
    secret = reader.read("forward_secret", _secret, None)
    if url is not None:
        return ForwardTo(url, namespaces or ("*",), secret)
    for name, value in (("forward_namespaces", namespaces), ("forward_secret", secret)):
        if value and not any(fault.field == "forward_url" for fault in reader.faults):
            reader.faults.append(Fault(name, value, "must be given with forward_url"))
    return None


class _Reader:
    """A reader of context values that collects the faults, so that a deployer sees all of them at once."""

    def __init__(self, context: Mapping[str, object]) -> None:
        self._context = context
        self.faults = [_unknown(name, context[name]) for name in context if _unclaimed(name)]

    def read(self, name: str, parse: Callable[[object], T], default: T) -> T:
        """Return the parsed value; the default if it is missing or wrong."""
        if name not in self._context:
            return default
        try:
            return parse(self._context[name])
        except ValueError as broken:
            self.faults.append(Fault(name, self._context[name], str(broken)))
            return default


def _unclaimed(name: str) -> bool:
    return name not in NAMES and not any(mark in name for mark in "/:")


def _unknown(name: str, value: object) -> Fault:
    matches = difflib.get_close_matches(name, NAMES, n=1)
    hint = f"; did you mean {matches[0]}?" if matches else ""
    return Fault(name, value, f"must be one of the context values {', '.join(NAMES)}{hint}")


def _stage(value: object) -> str:
    if isinstance(value, str) and _STAGE.fullmatch(value):
        return value
    raise ValueError("must be a lower-case letter, then at most 19 letters, digits and hyphens")


def _email(value: object) -> str | None:
    if value in (None, "", "none"):
        return None
    if isinstance(value, str) and _EMAIL.fullmatch(value):
        return value
    raise ValueError("must be an e-mail address, or none")


def _web_acl_arn(value: object) -> str | None:
    if value in (None, "", "none"):
        return None
    if isinstance(value, str) and _WEB_ACL_ARN.fullmatch(value):
        return value
    raise ValueError("must be the ARN of a regional web ACL of WAFv2, or none")


def _forward_url(value: object) -> str | None:
    """Return an https URL; http is for an endpoint on the same machine, as the local stack has."""
    if value in (None, "", "none"):
        return None
    parts = urlsplit(value) if isinstance(value, str) and _URL.fullmatch(value) else None
    if parts and _is_safe(parts):
        return str(value)
    raise ValueError("must be an https URL, without credentials in it, or none")


def _is_safe(parts: SplitResult) -> bool:
    """True if a request to the URL is encrypted, or stays on the machine, and the URL holds no credentials."""
    is_private = parts.scheme == "https" or parts.hostname in ("localhost", "127.0.0.1")
    return is_private and bool(parts.hostname) and not (parts.username or parts.password or parts.fragment)


def _secret(value: object) -> str | None:
    if value in (None, "", "none"):
        return None
    if isinstance(value, str) and _SECRET.fullmatch(value):
        return value
    raise ValueError("must be the name or the ARN of a secret in Secrets Manager, or none")


def _object_lock(value: object) -> ObjectLock | None:
    if value in (None, "", "none"):
        return None
    match = _OBJECT_LOCK.fullmatch(value) if isinstance(value, str) else None
    if match and int(match[2]) <= _OBJECT_LOCK_DAYS_MAX:
        return ObjectLock(days=int(match[2]), compliance=match[1] == "compliance")
    raise ValueError(f"must be governance:DAYS or compliance:DAYS of 1 to {_OBJECT_LOCK_DAYS_MAX} days, or none")


def _alert_target(value: object) -> AlertTarget | None:
    if value in (None, "", "none"):
        return None
    if value in ("eventbridge", "sns"):
        return AlertTarget(value)
    if isinstance(value, str) and (match := _SLACK.fullmatch(value)):
        return AlertTarget("slack", match[1])
    if isinstance(value, str) and _WEBHOOK.fullmatch(value):
        return AlertTarget("webhook", value)
    raise ValueError("must be eventbridge, sns, slack:WORKSPACE/CHANNEL by their ids, an https:// URL, or none")


def _alert_rules(value: object) -> str:
    """Return the rules as JSON text; empty for none."""
    if value in (None, "", "none"):
        return ""
    text = value if isinstance(value, str) else json.dumps(value)
    try:
        parse_alert_rules(text)
    except Invalid as broken:
        raise ValueError("; ".join(f"{fault.field}: {fault.rule}" for fault in broken.faults)) from broken
    return text


def _number_or_none(least: int, most: int) -> Callable[[object], int | None]:
    def parse(value: object) -> int | None:
        if value in (None, "", "none"):
            return None
        try:
            return _integer(least, most)(value)
        except ValueError as wrong:
            raise ValueError(f"{wrong}, or none") from wrong

    return parse


def _patterns(value: object) -> tuple[str, ...] | None:
    """Return None for the built-in patterns; `none`, or an empty list, means no pattern."""
    if value is None or value == "default":
        return None
    patterns = _listed(value)
    try:
        for pattern in patterns:
            re.compile(pattern)
    except (re.error, TypeError) as error:
        raise ValueError(f"must be regular expressions ({error})") from error
    return tuple(patterns)


def _namespaces(value: object) -> tuple[str, ...]:
    """Return names, or beginnings and then `*`; none for null and `none`."""
    patterns = [] if value is None else _listed(value, "namespaces")
    for pattern in patterns:
        if not isinstance(pattern, str) or not pattern or "*" in pattern[:-1]:
            raise ValueError("must be namespaces, each a name, or the beginning of names and then `*`")
    return tuple(patterns)


def _listed(value: object, things: str = "regular expressions") -> list[str]:
    """Return a list from cdk.json, from JSON text, or from text with commas."""
    if isinstance(value, str) and value.startswith("["):
        value = json.loads(value)
    if isinstance(value, list):
        return value
    if isinstance(value, str):
        return [] if value == "none" else [part.strip() for part in value.split(",") if part.strip()]
    raise ValueError(f"must be a list of {things}, or text with commas between them")


def _integer(least: int, most: int) -> Callable[[object], int]:
    def parse(value: object) -> int:
        if re.fullmatch(r"[0-9]{1,9}", str(value)) and least <= int(str(value)) <= most:
            return int(str(value))
        raise ValueError(f"must be a whole number from {least} to {most}")

    return parse


def _choice(**choices: bool) -> Callable[[object], bool]:
    def parse(value: object) -> bool:
        text = str(value).lower() if isinstance(value, bool) else value
        if isinstance(text, str) and text in choices:
            return choices[text]
        raise ValueError(f"must be {' or '.join(choices)}")

    return parse
