"""The compact function: the steps of the daily compaction, called by its state machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from lambdas import wiring
from lambdas.telemetry import count, metrics
from lineage.records.compaction import Slice, parse_day
from lineage.times import day_of
from lineage_model.errors import Invalid
from lineage_model.ids import SHARDS, sha256_hex

# The interval at which the state machine checks the day's roots.
_POLL_S = 30
_POLL_MAX_S = 900
# A slice ends when this much of its function's time is left: one more page and its messages need less.
_RESERVE_MS = 120_000


def _plan(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    started_at = int(datetime.fromisoformat(event["started_at"].replace("Z", "+00:00")).timestamp())
    parameters = event["input"]
    poll_s = parameters.get("poll_s", _POLL_S)
    if type(poll_s) is not int or not 1 <= poll_s <= _POLL_MAX_S:
        raise Invalid.because("poll_s", poll_s, f"must be a whole number of seconds, 1 to {_POLL_MAX_S}")
    again = parameters.get("publish_again", False)
    if type(again) is not bool:
        raise Invalid.because("publish_again", again, "must be true or false")
    plan = wiring.compactor().plan(
        parameters.get("day"), execution=event["execution"], started_at=started_at, now_s=wiring.now_s()
    )
    return {
        "day": plan.day,
        "execution": event["execution"],
        "started_at": started_at,
        "deadline": plan.deadline,
        "poll_s": poll_s,
        "publish_again": again,
        "shards": list(range(len(SHARDS))),
    }


def _slice(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    done = wiring.compactor().enqueue(
        event["day"],
        event["shard"],
        Slice(event["cursor"], event["enqueued"]),
        execution=event["execution"],
        started_at=event["started_at"],
        in_time=lambda: context.get_remaining_time_in_millis() > _RESERVE_MS,
    )
    return {"shard": event["shard"], "cursor": done.cursor, "enqueued": done.enqueued}


def _check(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    if wiring.now_s() >= event["deadline"]:
        return {"settled": True, "shard": event["shard"]}
    shard = wiring.compactor().first_pending_shard(event["day"], event["shard"])
    return {"settled": shard == len(SHARDS), "shard": shard}


def _left(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    marks = wiring.compactor().deferred(event["day"], deadline=event["deadline"], now_s=wiring.now_s())
    return {"roots": [{"root_sha": sha256_hex(mark.root_id), "marked_on": mark.day} for mark in marks]}


def _unpublished(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    days = wiring.compactor().unpublished(event["day"], again=event["publish_again"])
    count("DaysUnpublished", len(days))
    return {"days": [asdict(one) for one in days]}


def _publish(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    published = wiring.publisher().publish(event["day"], event["attempt"], now_s=wiring.now_s())
    count("DaysPublished", 1)
    return {"day": published.day}


def _seal(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    compactor = wiring.compactor()
    digest = compactor.seal(event["day"], execution=event["execution"], now_s=wiring.now_s())
    count("RootsMissed", digest.counts.missing)
    return {
        "day": event["day"],
        "roots": digest.counts.roots,
        "objects": digest.counts.objects,
        "lines": digest.counts.lines,
        "missing": digest.counts.missing,
        "digest": f"s3://{compactor.digests.bucket}/{digest.link.key}",
    }


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
    """Run one step of the compaction; `infra/compaction.asl.json` has its input and result."""
    step = _STEPS.get(event.get("step", ""))
    if step is None:
        raise Invalid.because("step", event.get("step"), f"must be one of {', '.join(_STEPS)}")
    if "day" in event:
        parse_day(event["day"], today=day_of(wiring.now_s()))
    return step(event, context)
