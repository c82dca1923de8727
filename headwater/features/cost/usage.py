"""Use of the service by namespace and caller, counted in the raw log.

An event sent twice counts twice: AWS bills both. Dollars are an estimate, at the list prices of us-east-1 (`PRICES`),
of an event of a known job. Storage of months is left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

# Dollars an event, of AWS's price lists of 2026-11-20, without free tiers.
PRICES: Mapping[str, float] = {
    # Write units at 0.625 and read units at 0.125 a million: docs/cost.md, a further run in two batches.
    "DynamoDB": 15.4 * 0.625e-6 + 7.3 * 0.125e-6,
    # Two invocations at 0.20 a million, 10 ms each with 1 GB at 0.0000133334 a GB-second.
    "Lambda": 2 * 0.20e-6 + 0.02 * 0.0000133334,
    # A PUT at 5 a million.
    "S3": 5e-6,
    # A request at 3.50 a million.
    "API Gateway": 3.5e-6,
}
# Sent, received and deleted, at 0.40 a million requests of 64 KiB each.
_SQS_USD = 3 * 0.40e-6
_SQS_REQUEST_BYTES = 65_536
_EVENT_USD = sum(PRICES.values())
UNKNOWN = "unknown"


class Payer(NamedTuple):
    """The namespace of an event's job or dataset, and its sender: `token:<id>`, an ARN, or SQS's id of the sender."""

    namespace: str
    caller: str


@dataclass(slots=True)
class Use:
    """The events of a payer: all, the RUNNING events, their bytes as JSON, and the estimate of their price."""

    events: int = 0
    running: int = 0
    bytes: int = 0
    usd: float = 0.0

    def add(self, other: Use) -> None:
        """Add the numbers of another use."""
        self.events += other.events
        self.running += other.running
        self.bytes += other.bytes
        self.usd += other.usd


def use_of(event: Any, size: int) -> Use:
    """Compute the use of an event with so many bytes of JSON."""
    kind = event.get("eventType") if isinstance(event, dict) else None
    usd = _EVENT_USD + _SQS_USD * math.ceil(size / _SQS_REQUEST_BYTES)
    return Use(1, int(isinstance(kind, str) and kind.upper() == "RUNNING"), size, usd)


def payer_of(event: Any, accepted_by: Mapping[str, Any]) -> Payer:
    """Find the payer of an event.

    >>> payer_of({"job": {"namespace": "airflow", "name": "x"}}, {"sender": "AROA:f", "caller": "token:01"})
    Payer(namespace='airflow', caller='token:01')
    """
    subjects = [event.get(name) for name in ("job", "dataset")] if isinstance(event, dict) else []
    namespaces = [subject["namespace"] for subject in subjects if isinstance(subject, dict) and "namespace" in subject]
    caller = accepted_by.get("caller") or accepted_by.get("sender")
    return Payer(str(namespaces[0]) if namespaces else UNKNOWN, str(caller or UNKNOWN))


def sum_up(uses: Iterable[tuple[Payer, Use]]) -> dict[Payer, Use]:
    """Sum up by payer, the dearest first."""
    sums: dict[Payer, Use] = {}
    for payer, use in uses:
        sums.setdefault(payer, Use()).add(use)
    return dict(sorted(sums.items(), key=lambda item: (-item[1].usd, item[0])))


def sums_of(lines: Iterable[tuple[Any, Mapping[str, Any]]]) -> dict[Payer, Use]:
    """Sum up events of the log by payer, each with its sender (`EventLog.lines`)."""
    return sum_up((payer_of(event, sender), use_of(event, len(orjson.dumps(event)))) for event, sender in lines)
