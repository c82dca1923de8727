"""The company's lineage, sent to a running Headwater."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timezone
from itertools import islice
from typing import TypeVar

from examples.company.estate import build_estate
from examples.company.history import history_of
from examples.company.records import records_of
from spark_client import LineageClient

NIGHTS = 30
SEED = 1
# Events in a request: few enough for a display in motion.
_TOGETHER = 250

T = TypeVar("T")


def send_company(
    lineage: LineageClient, *, now_s: float, nights: int = NIGHTS, seed: int = SEED, report: Callable[[int], None]
) -> int:
    """Send the nights until `now_s` (seconds since 1970) and the last day's records; count the deliveries.

    `report` gets the number of events sent so far. A strict client raises a LineageError for an undelivered part.
    """
    end = datetime.fromtimestamp(now_s, timezone.utc)
    sent = 0
    for events in _in_parts(history_of(build_estate(), end=end, days=nights, seed=seed), _TOGETHER):
        sent += lineage.emit_many(events).sent
        report(sent)
    request = f"nordwind {seed} {end:%Y-%m-%d}"
    return sent + lineage.record_all(records_of(end), request_id=request, requested_at=int(now_s)).sent


def _in_parts(items: Iterable[T], size: int) -> Iterator[list[T]]:
    rest = iter(items)
    while part := list(islice(rest, size)):
        yield part
