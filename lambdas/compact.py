"""The compact function: the steps of the daily compaction, as its state machine asks for them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from lambdas import wiring
from lambdas.telemetry import count, metrics
from lineage.errors import Invalid
from lineage.records.compaction import Slice
from lineage.records.keys import SHARDS

# How often the state machine asks whether the day's roots are traced.
_POLL_S = 30
_POLL_MAX_S = 900
# A slice ends when this much of its function's time is left: one more page and its messages need less.
_RESERVE_MS = 120_000


def _plan(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    started_at = int(datetime.fromisoformat(event["started_at"].replace("Z", "+00:00")).timestamp())
    asked = event["input"]
    poll_s = asked.get("poll_s", _POLL_S)
    if type(poll_s) is not int or not 1 <= poll_s <= _POLL_MAX_S:
        raise Invalid.because("poll_s", poll_s, f"must be a whole number of seconds, 1 to {_POLL_MAX_S}")
    plan = wiring.compactor().plan(
        asked.get("day"), execution=event["execution"], started_at=started_at, now_s=wiring.now_s()
    )
    return {
        "day": plan.day,
        "execution": event["execution"],
        "started_at": started_at,
        "deadline": plan.deadline,
        "poll_s": poll_s,
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
    shard = wiring.compactor().settled_up_to(event["day"], event["shard"])
    return {"settled": shard == len(SHARDS), "shard": shard}


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
    wiring.compactor().calendar.release(event["execution"])
    return {}


_STEPS: dict[str, Callable[[dict[str, Any], LambdaContext], dict[str, Any]]] = {
    "plan": _plan,
    "slice": _slice,
    "check": _check,
    "seal": _seal,
    "release": _release,
}


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """One step of the compaction; its input and answer are drawn in `infra/compaction.asl.json`."""
    step = _STEPS.get(event.get("step", ""))
    if step is None:
        raise Invalid.because("step", event.get("step"), f"must be one of {', '.join(_STEPS)}")
    return step(event, context)
