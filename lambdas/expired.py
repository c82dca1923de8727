"""The expired function: stages records removed by TTL, unless a trace is known to have read them."""

from __future__ import annotations

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from headwater.records.expired import ExpiredRecord, ExpiredRecords
from headwater.records.table import loaded_at_of, parse_item
from headwater.times import day_of
from lambdas import wiring
from lambdas.telemetry import count, logger, metrics


@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Stage a batch of removed records; a failure is raised, and the stream delivers the whole batch again."""
    expired = [record for record in map(_parse, event["Records"]) if record is not None]
    count("RecordsRefused", len(event["Records"]) - len(expired))
    net = ExpiredRecords(wiring.staged(), wiring.dirty_roots(), wiring.pointers())
    count("RecordsStaged", net.stage(expired, day=day_of(wiring.now_s())))
    return {"batchItemFailures": []}


def _parse(stream_record: dict[str, Any]) -> ExpiredRecord | None:
    change = stream_record["dynamodb"]
    try:
        record = parse_item(change["OldImage"])
    except (KeyError, ValueError):
        # No item of the load function. Another try would block its shard for a day.
        logger.exception("an expired item is no record", extra={"sequence_number": change["SequenceNumber"]})
        return None
    removed_at = int(change["ApproximateCreationDateTime"])
    return ExpiredRecord(record, loaded_at_of(change["OldImage"]), removed_at)
