"""Accepting events at a door, HTTP's or the input function's: each is read, then made durable by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from lineage.errors import Invalid, TooLarge
from lineage.runs.door.intake import EventsIntake
from lineage.runs.door.parse import parse_event
from lineage.runs.door.rules import NameRules

# A hundred calls of SQS: a second or two of the half minute that API Gateway waits.
EVENTS_MAX = 1000
# So that the answer to a thousand bad events is still small.
_REASON_CHARS_MAX = 500
# What the names of datasets tell is asked when an event is loaded.
_RULES = NameRules(trim_partitions=False, temporary=())


@dataclass(frozen=True, slots=True)
class Failed:
    """An event of a batch, by its place, that was not accepted; `retriable`: it is correct, AWS refused for now."""

    index: int
    reason: str
    retriable: bool


@dataclass(frozen=True, slots=True)
class Accepted:
    """What became of a batch: the number of its events, and those that failed, in their order."""

    received: int
    failed: tuple[Failed, ...]


def accept_event(body: object, intake: EventsIntake, *, now: str, caller: str | None = None) -> None:
    """Make one event durable; `now` is as `times` keeps it, `caller` who sent it, if known.

    Raises:
        Invalid: it breaks a rule.
        TooLarge: it names too many datasets.
        Unavailable: it is not durable; the caller sends it again.
    """
    intake.put(_read(body, now), caller=caller)


def accept_events(bodies: object, intake: EventsIntake, *, now: str, caller: str | None = None) -> Accepted:
    """Make each event of a list durable by itself; `caller` is who sent it, if known.

    Raises:
        Invalid: it is no list.
        TooLarge: there are more than `EVENTS_MAX`; none was accepted.
    """
    if not isinstance(bodies, list):
        raise Invalid.because("events", bodies, "must be a list")
    if len(bodies) > EVENTS_MAX:
        raise TooLarge(f"events: must be at most {EVENTS_MAX} at once, got {len(bodies)}")
    failed: dict[int, Failed] = {}
    good: dict[int, Mapping[str, object]] = {}
    for index, body in enumerate(bodies):
        try:
            good[index] = _read(body, now)
        except (Invalid, TooLarge) as error:
            failed[index] = Failed(index, str(error)[:_REASON_CHARS_MAX], retriable=False)
    places = list(good)
    for number, reason in intake.put_many(list(good.values()), caller=caller).items():
        failed[places[number]] = Failed(places[number], reason[:_REASON_CHARS_MAX], retriable=True)
    return Accepted(len(bodies), tuple(failed[index] for index in sorted(failed)))


def render_accepted(accepted: Accepted) -> dict[str, object]:
    """What became of a batch, as OpenLineage's specification has it (`POST /lineage/batch`)."""
    failed, retriable = len(accepted.failed), sum(one.retriable for one in accepted.failed)
    return {
        "status": "partial_success" if failed else "success",
        "summary": {
            "received": accepted.received,
            "successful": accepted.received - failed,
            "failed": failed,
            "retriable": retriable,
            "non_retriable": failed - retriable,
        },
        "failed_events": _failed_events(accepted.failed),
    }


def _failed_events(failed: Sequence[Failed]) -> list[dict[str, object]]:
    return [{"index": one.index, "reason": one.reason, "retriable": one.retriable} for one in failed]


def _read(body: object, now: str) -> Mapping[str, object]:
    parse_event(body, _RULES, now=now)
    return cast("Mapping[str, object]", body)
