"""The context value of events in buckets."""

from __future__ import annotations

import re
from typing import NamedTuple

from infra.context_values import Reader, listed

NAMES = ("event_buckets",)
# For `infra.check`.
EXAMPLES = ({"event_buckets": "lineage/openlineage/, arn:aws:s3:::events"},)
# A bucket's name or ARN, and a beginning of keys without IAM's wildcards.
_PLACE = re.compile(r"(?:arn:aws[a-z-]*:s3:::)?([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:/([\w/=.:+@-]{0,200}))?")
_RULE = "must be {} buckets at most, each a name or an ARN, then `/` and a beginning of keys if not all keys count"
# A queue's policy has at most 20 statements; here each bucket has its own.
_BUCKETS_MAX = 10


class EventBucket(NamedTuple):
    """A bucket with events, and the beginning of their keys."""

    name: str
    prefix: str = ""


def read(reader: Reader) -> tuple[EventBucket, ...] | None:
    """Read the buckets; None without any."""
    nowhere: tuple[EventBucket, ...] = ()
    return reader.read("event_buckets", _buckets, nowhere) or None


def _buckets(value: object) -> tuple[EventBucket, ...]:
    """Parse a list, or text such as `lineage/openlineage/, events`; each bucket counts once."""
    matches = [_PLACE.fullmatch(str(place)) for place in listed(value, "buckets")]
    if None in matches or len(matches) > _BUCKETS_MAX:
        raise ValueError(_RULE.format(_BUCKETS_MAX))
    return tuple(dict.fromkeys(EventBucket(match[1], match[2] or "") for match in matches if match))
