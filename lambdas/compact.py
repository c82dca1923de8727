"""The compact function: the steps of the daily compaction, called by its state machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from headwater.records.compaction import Slice, parse_day
from headwater.times import day_of
from headwater_model.errors import Fault, Invalid
from headwater_model.ids import SHARDS, sha256_hex
from lambdas import wiring
from lambdas.telemetry import count, metrics

# Interval of the checks of the day's roots. Shorter intervals, until the deadline, could fill the history of an
# execution: Step Functions ends it at 25,000 events, and a check takes nine.
_POLL_S = 30
_POLL_MIN_S, _POLL_MAX_S = 10, 900
_SEALED = ("roots", "objects", "lines", "missing", "digest")
_INPUT = ("day", "poll_s", "publish_again")
# A slice or a seal ends when so much of its function's time is left: another page of roots needs less.
_RESERVE_MS = 120_000


def _plan(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    started = datetime.fromisoformat(event["started_at"].replace("Z", "+00:00")).timestamp()
    started_at = int(started)
    parameters = _checked(event["input"])
    plan = wiring.compactor().plan(
        parameters["day"], execution=event["execution"], started_at=started_at, now_s=wiring.now_s()
    )
    return {
        "day": plan.day,
        "execution": event["execution"],
        "started_at": started_at,
        "started_ms": round(started * 1000),
        "deadline": plan.deadline,
        "poll_s": parameters["poll_s"],
        "publish_again": parameters["publish_again"],
        "shards": list(range(len(SHARDS))),
        "sealed": {"cursor": None},
    }


def _checked(given: object) -> dict[str, Any]:
    """Fill the execution's input with its defaults: `{"poll_s": 30}`. Raises `Invalid` with all faulty values."""
    if not isinstance(given, dict):
        raise Invalid.because("input", given, "must be an object")
    faults = [Fault(name, given[name], f"must be one of {', '.join(_INPUT)}") for name in given if name not in _INPUT]
    poll_s, again = given.get("poll_s", _POLL_S), given.get("publish_again", False)
    if type(poll_s) is not int or not _POLL_MIN_S <= poll_s <= _POLL_MAX_S:
        rule = f"must be a whole number of seconds, {_POLL_MIN_S} to {_POLL_MAX_S}"
        faults.append(Fault("poll_s", poll_s, rule))
    if type(again) is not bool:
        faults.append(Fault("publish_again", again, "must be true or false"))
    if faults:
        raise Invalid(faults)
    return {"day": given.get("day"), "poll_s": poll_s, "publish_again": again}


def _slice(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    done = wiring.compactor().enqueue(
        event["day"],
        event["shard"],
        Slice(event["cursor"], event["enqueued"]),
        execution=event["execution"],
        started_at=event["started_at"],
        in_time=_in_time(context),
    )
    return {"shard": event["shard"], "cursor": done.cursor, "enqueued": done.enqueued}


def _in_time(context: LambdaContext) -> Callable[[], bool]:
    return lambda: context.get_remaining_time_in_millis() > _RESERVE_MS


def _check(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    if wiring.now_s() >= event["deadline"]:
        return {"settled": True, "shard": event["shard"]}
    shard = wiring.compactor().first_pending_shard(event["day"], event["shard"], started_ms=event["started_ms"])
    return {"settled": shard == len(SHARDS), "shard": shard}


def _left(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    marks = wiring.compactor().find_deferred(event["day"], deadline=event["deadline"], now_s=wiring.now_s())
    return {"roots": [{"root_sha": sha256_hex(mark.root_id), "marked_on": mark.day} for mark in marks]}


def _unpublished(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    days = wiring.compactor().find_unpublished(event["day"], again=event["publish_again"])
    count("DaysUnpublished", len(days))
    return {"days": [asdict(day) for day in days]}


def _publish(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    published = wiring.publisher().publish(event["day"], event["attempt"], now_s=wiring.now_s())
    count("DaysPublished", 1)
    return {"day": published.day}


def _seal(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    compactor = wiring.compactor()
    sealing = compactor.seal(
        event["day"],
        execution=event["execution"],
        now_s=wiring.now_s(),
        cursor=event["cursor"],
        in_time=_in_time(context),
    )
    digest = sealing.digest
    if digest is None or sealing.cursor is not None:
        return {"cursor": sealing.cursor, "day": event["day"], **dict.fromkeys(_SEALED)}
    count("RootsMissed", digest.counts.missing)
    counts = {name: getattr(digest.counts, name) for name in _SEALED[:-1]}
    link = f"s3://{compactor.digests.bucket}/{digest.link.key}"
    return {"cursor": None, "day": event["day"], **counts, "digest": link}


def _release(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    wiring.compactor().archive_state.release(event["execution"])
    return {}


_STEPS: dict[str, Callable[[dict[str, Any], LambdaContext], dict[str, Any]]] = {
    "plan": _plan,
    "slice": _slice,
    "check": _check,
    "left": _left,
    "seal": _seal,
    "release": _release,
    "unpublished": _unpublished,
    "publish": _publish,
}


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Run a step of the compaction; `infra/compaction.asl.json` has its input and result."""
    step = _STEPS.get(event.get("step", ""))
    if step is None:
        raise Invalid.because("step", event.get("step"), f"must be one of {', '.join(_STEPS)}")
    if "day" in event:
        parse_day(event["day"], today=day_of(wiring.now_s()))
    return step(event, context)
