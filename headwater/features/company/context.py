"""The context values of a company's account: its rules for roles, keys, logs and doors."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from headwater_model.errors import Fault
from infra.context_values import Reader, integer, listed, or_none, text_or_none

NAMES = (
    "permissions_boundary",
    "role_path",
    "kms_key_arn",
    "endpoint",
    "log_retention_days",
    "tags",
    "producer_principals",
    "budget_usd",
)
_KEY = "arn:aws:kms:us-east-1:123456789012:key/01234567-89ab-cdef-0123-456789abcdef"
# For `infra.check`.
EXAMPLES: tuple[Mapping[str, object], ...] = (
    {
        "permissions_boundary": "arn:aws:iam::123456789012:policy/Boundary",
        "role_path": "/data/",
        "kms_key_arn": _KEY,
        "endpoint": "private:vpce-0123456789abcdef0",
        "log_retention_days": 30,
        "tags": {"cost-center": "42"},
        "producer_principals": ["123456789012", "210987654321"],
        "budget_usd": 100,
    },
    {"endpoint": "private", "producer_principals": "o-a1b2c3d4e5"},
)
_POLICY = re.compile(r"arn:aws[a-z-]*:iam::([0-9]{12}|aws):policy/[\w+=,.@/-]+")
_PATH = re.compile(r"/([!-.0-~]+/)*")
_KEY_ARN = re.compile(r"arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/[\w-]+")
_ENDPOINT = re.compile(r"private(:vpce-[0-9a-f]{8,17}(,vpce-[0-9a-f]{8,17})*)?")
_PRINCIPAL = re.compile(r"[0-9]{12}|o-[a-z0-9]{10,32}")
# The retentions of CloudWatch Logs.
_DAYS = (1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653)
# IAM's bounds of a tag; AWS reserves `aws:`.
_TAG = re.compile(r"(?!aws:)[\w .:/=+@-]{1,128}")
_TAG_VALUE = re.compile(r"[\w .:/=+@-]{0,256}")
_TAGS_MAX = 40  # of 50 for a resource, with the CDK's and our own


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanyRules:
    """The rules of an account; `vpc_endpoints` limits a private endpoint, `producers` are accounts or organizations."""

    permissions_boundary: str | None = None
    role_path: str | None = None
    kms_key_arn: str | None = None
    private: bool = False
    vpc_endpoints: tuple[str, ...] = ()
    log_retention_days: int | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    producers: tuple[str, ...] = ()
    budget_usd: int | None = None


def read(reader: Reader) -> CompanyRules | None:
    """Read the rules; None without any."""
    endpoint = reader.read("endpoint", _endpoint, None)
    nobody: tuple[str, ...] = ()
    untagged: Mapping[str, str] = {}
    rules = CompanyRules(
        permissions_boundary=reader.read(
            "permissions_boundary", text_or_none(_POLICY, "the ARN of a managed policy"), None
        ),
        role_path=reader.read("role_path", text_or_none(_PATH, "a path of IAM that begins and ends with /"), None),
        kms_key_arn=reader.read("kms_key_arn", text_or_none(_KEY_ARN, "the ARN of a key of KMS, no alias"), None),
        private=endpoint is not None,
        vpc_endpoints=endpoint or (),
        log_retention_days=reader.read("log_retention_days", or_none(_days), None),
        tags=reader.read("tags", _tags, untagged),
        producers=reader.read("producer_principals", _principals, nobody),
        budget_usd=reader.read("budget_usd", or_none(integer(1, 1_000_000)), None),
    )
    if rules.budget_usd and not reader.read("alarm_email", lambda value: value not in ("", "none"), False):
        reader.faults.append(Fault("budget_usd", rules.budget_usd, "must be given with alarm_email"))
    return None if rules == CompanyRules() else rules


def _endpoint(value: object) -> tuple[str, ...] | None:
    """Parse the ids of VPC endpoints; None for the endpoint on the internet."""
    text = text_or_none(_ENDPOINT, "regional, private or private:VPC-ENDPOINT,VPC-ENDPOINT")(
        "none" if value == "regional" else value
    )
    return None if text is None else tuple(filter(None, text.removeprefix("private").lstrip(":").split(",")))


def _days(value: object) -> int:
    if str(value) in map(str, _DAYS):
        return int(str(value))
    raise ValueError(f"must be a retention of CloudWatch Logs ({', '.join(map(str, _DAYS))} days)")


def _tags(value: object) -> Mapping[str, str]:
    """Parse a JSON object, or text such as `team=data,cost-center=42`."""
    if value in ("", "none"):
        return {}
    if isinstance(value, str) and value.startswith("{"):
        value = json.loads(value)
    pairs = value if isinstance(value, dict) else dict(part.partition("=")[::2] for part in listed(value, "tags"))
    valid = len(pairs) <= _TAGS_MAX and all(
        _TAG.fullmatch(name) and isinstance(text, str) and _TAG_VALUE.fullmatch(text) for name, text in pairs.items()
    )
    if not valid:
        raise ValueError(f"must be at most {_TAGS_MAX} tags of AWS, as JSON or NAME=VALUE with commas between them")
    return pairs


def _principals(value: object) -> tuple[str, ...]:
    principals = listed(value, "accounts and organizations")
    for principal in principals:
        if not isinstance(principal, str) or not _PRINCIPAL.fullmatch(principal):
            raise ValueError("must be ids of accounts (12 digits, as text) or of an organization (o-...)")
    return tuple(principals)
