"""DynamoDB stream mappings: TTL removals are delivered as records to their function.

Only removals by TTL are delivered here; a mapping with a wider filter is refused. Order is kept: a batch is delivered
until it succeeds, or is given up, before the next batch.
"""

from __future__ import annotations

import json
import uuid
from collections import deque
from collections.abc import Callable, Sequence
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from local_stack.compute.functions import Functions, InvocationResult
from local_stack.compute.poller import Failure, Feed, Feeder
from local_stack.errors import UnknownInTemplate
from local_stack.processes.clock import Clock

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

Record = dict[str, Any]

_POLL_S = 0.1
_RETRY_S = 1.0
_TTL_IDENTITY = {"type": "Service", "principalId": "dynamodb.amazonaws.com"}


def refuse_wide_filter(logical_id: str, patterns: Sequence[str]) -> None:
    """Raise UnknownInTemplate unless the patterns accept TTL removals, and nothing more."""
    removal: Record = {"eventName": "REMOVE", "userIdentity": _TTL_IDENTITY}
    others: list[Record] = [{"eventName": name} for name in ("INSERT", "MODIFY", "REMOVE")]
    filters = [json.loads(pattern) for pattern in patterns]
    if not _any_matches(filters, removal) or any(_any_matches(filters, other) for other in others):
        raise UnknownInTemplate(
            f"{logical_id} (AWS::Lambda::EventSourceMapping): property FilterCriteria: of a stream, the local stack "
            f"delivers TTL removals and nothing else, got {list(patterns)!r}"
        )


def _any_matches(patterns: Sequence[object], record: Record) -> bool:
    return any(_matches(pattern, record) for pattern in patterns)


def _matches(pattern: object, value: object) -> bool:
    """True if an event pattern of objects and lists of plain values accepts the value.

    >>> _matches({"eventName": ["REMOVE"]}, {"eventName": "REMOVE", "awsRegion": "us-east-1"})
    True
    """
    if isinstance(pattern, dict):
        return isinstance(value, dict) and all(_matches(part, value.get(key)) for key, part in pattern.items())
    return isinstance(pattern, list) and value in pattern


class StreamPoller(Feeder):
    """A poller that delivers removals in its own thread."""

    def __init__(
        self, feed: Feed, *, s3: S3Client, functions: Functions, clock: Clock, report: Callable[[Failure], None]
    ) -> None:
        super().__init__(feed, functions, clock, report)
        self._s3 = s3
        self._backlog: deque[Record] = deque()
        self._sequence = 0

    @property
    def pending(self) -> int:
        """The records neither delivered nor given up."""
        return len(self._backlog)

    def add(self, removed: Sequence[dict[str, Any]]) -> None:
        """Queue the removals of this mapping's table, in the shape of `local_stack.aws.endpoint.Endpoint.expire`."""
        self._backlog.extend(self._record(removal) for removal in removed if removal["table"] == self.feed.source)

    def _record(self, removed: dict[str, Any]) -> Record:
        self._sequence += 1
        return {
            "eventID": uuid.uuid4().hex,
            "eventName": "REMOVE",
            "eventVersion": "1.1",
            "eventSource": "aws:dynamodb",
            "awsRegion": self.feed.arn.split(":")[3],
            "dynamodb": {
                "ApproximateCreationDateTime": int(self._clock.now()),
                "Keys": removed["keys"],
                "OldImage": removed["image"],
                "SequenceNumber": f"{self._sequence:021}",
                "SizeBytes": len(json.dumps(removed["image"])),
                "StreamViewType": "NEW_AND_OLD_IMAGES",
            },
            "userIdentity": _TTL_IDENTITY,
            "eventSourceARN": self.feed.arn,
        }

    def _run(self) -> None:
        while not self._stopping.is_set():
            if not self._backlog:
                self._stopping.wait(_POLL_S)
                continue
            due = self._clock.now() + self.feed.window_s
            while len(self._backlog) < self.mapping.batch_size and self._clock.now() < due and not self.flush_now:
                if self._stopping.wait(_POLL_S):
                    return
            batch = [self._backlog[n] for n in range(min(len(self._backlog), self.mapping.batch_size))]
            self._deliver(batch)
            for _ in batch:
                self._backlog.popleft()

    def _deliver(self, batch: Sequence[Record], retries: int = 0) -> None:
        """Deliver until the batch is accepted, split or given up, or the stack stops."""
        mapping = self.mapping
        while not self._stopping.is_set():
            result = self._functions.invoke(mapping.function_name, {"Records": list(batch)})
            left = self._left(batch, result)
            if not left or self._stopping.is_set():
                return
            if result.failed:
                self._report_failed(result)
            if mapping.bisect_batch_on_function_error and result.failed and len(left) > 1:
                # A split does not count as a retry.
                half = len(left) // 2
                self._deliver(left[:half], retries)
                self._deliver(left[half:], retries)
                return
            retries = retries + 1 if len(left) == len(batch) else 0
            if self._is_hopeless(left, retries):
                self._give_up(left)
                return
            batch = left
            self._stopping.wait(_RETRY_S)

    def _left(self, batch: Sequence[Record], result: InvocationResult) -> Sequence[Record]:
        """Cut the batch before its first failed record: a stream has no gaps."""
        ids = [record["dynamodb"]["SequenceNumber"] for record in batch]
        failed = self._failed_ids(result, ids)
        return batch[ids.index(min(failed)) :] if failed else []

    def _is_hopeless(self, batch: Sequence[Record], retries: int) -> bool:
        mapping = self.mapping
        age_s = self._clock.now() - batch[0]["dynamodb"]["ApproximateCreationDateTime"]
        too_often = 0 <= mapping.maximum_retry_attempts < retries
        too_old = 0 <= mapping.maximum_record_age_in_seconds < age_s
        return too_often or too_old

    def _give_up(self, batch: Sequence[Record]) -> None:
        """Put the records into the template's bucket, under Lambda's name for them; without a bucket, drop them."""
        now = datetime.fromtimestamp(self._clock.now(), timezone.utc)
        self._report(Failure(self.mapping.function_name, self.feed.logical_id, "GivenUp", f"{len(batch)} records"))
        if self.feed.dead_letter_bucket is None:
            return
        stamp = f"{now:%Y/%m/%d/%Y-%m-%dT%H.%M.%S}-{uuid.uuid4()}"
        invocation = {
            "requestContext": {"functionArn": self._functions.describe(self.mapping.function_name).arn},
            "version": "1.0",
            "timestamp": now.isoformat(),
            "DDBStreamBatchInfo": {"batchSize": len(batch), "streamArn": self.feed.arn},
            "payload": json.dumps({"Records": list(batch)}),
        }
        self._s3.put_object(
            Bucket=self.feed.dead_letter_bucket,
            Key=f"aws/lambda/{self.feed.logical_id}/shardId-local/{stamp}",
            Body=json.dumps(invocation).encode(),
        )
