"""The cost of accepting and loading heavy events: `python -m benchmarks.heavy_events [SHAPE ...] [--name-bytes N]`.

Of each shape (`tests.heavy_events`) the largest accepted event, to a tenth, in a process of its own: the table drops
rows that are never read. Its own CPU counts, an HTTP client's does not. The goal for each is 12 s of CPU and 300 MB.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Sequence
from multiprocessing import get_context
from typing import Any

import orjson

from headwater.events.naming import AS_SENT, NamingRules
from headwater.events.parse import parse_event
from headwater.facts.apply import apply_statements
from headwater.loading.event_log import EventLog, RawEvent
from headwater_model.errors import HeadwaterError
from tests.fakes.memory_dynamodb import MemoryDynamo
from tests.fakes.memory_table import MemoryS3, MemoryTable
from tests.heavy_events import SHAPES

_MOST = 1_000_000


class _ForgetfulDynamo(MemoryDynamo):
    """A table that keeps the rows with a version, and separate contents: further rows are not read again."""

    def _put(self, item: Any) -> None:
        if "version" in item or item["sk"]["S"] == "CONTENT":
            super()._put(item)


class _ForgetfulS3(MemoryS3):
    """A bucket without the objects of the raw log."""

    def put_object(self, *, Key: str, Body: Any, **_: Any) -> dict[str, Any]:  # noqa: N803 - boto3's
        """Store an object of the facts alone."""
        return {} if Key.startswith("events/") else dict(super().put_object(Key=Key, Body=Body))


def is_accepted(shape: str, number: int, name_bytes: int) -> bool:
    """True if the API accepts an event of so many things."""
    try:
        parse_event(SHAPES[shape](number, name_bytes), AS_SENT, now=None)
    except HeadwaterError:
        return False
    return True


def largest_accepted(shape: str, name_bytes: int) -> int:
    """Find the greatest accepted number of things, to a tenth."""
    low, high = 1, 2
    while high < _MOST and is_accepted(shape, high, name_bytes):
        low, high = high, 2 * high
    while high - low > high // 10:
        middle = (low + high) // 2
        low, high = (middle, high) if is_accepted(shape, middle, name_bytes) else (low, middle)
    return low


def measure(shape: str, number: int, name_bytes: int) -> None:
    """Print the cost of an event as a line of JSON."""
    body = orjson.dumps(SHAPES[shape](number, name_bytes))
    dynamo, s3 = _ForgetfulDynamo(), _ForgetfulS3()
    table = MemoryTable(dynamo, s3)
    began_s = time.process_time()
    document = orjson.loads(body)
    parse_event(document, AS_SENT, now=None)
    accepted_s = time.process_time()
    event = parse_event(document, NamingRules(), now=None)
    EventLog(table, s3.client(), "archive").put([RawEvent(event, document)], "2025-11-20")
    apply_statements([event], table)
    figures = {
        "shape": shape,
        "number": number,
        "kilobytes": len(body) // 1024,
        "accept_cpu_s": round(accepted_s - began_s, 1),
        "load_cpu_s": round(time.process_time() - accepted_s, 1),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "units": round(dynamo.calls.write_units),
        "units_estimated": event.units,
        "requests": dynamo.calls.requests.total(),
    }
    print(orjson.dumps(figures).decode(), flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure each shape."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shapes", nargs="*", metavar="SHAPE", choices=[[], *SHAPES], default=[])
    parser.add_argument("--name-bytes", type=int, default=16)
    parser.add_argument("--number", type=int, help="so many things, not the most that are accepted")
    given = parser.parse_args(arguments)
    spawn = get_context("spawn")
    for shape in given.shapes or SHAPES:
        number = given.number
        if number is None:
            with spawn.Pool(1) as pool:
                number = pool.apply(largest_accepted, (shape, given.name_bytes))
        process = spawn.Process(target=measure, args=(shape, number, given.name_bytes))
        process.start()
        process.join()
        if process.exitcode:
            sys.exit(f"{shape}: {process.exitcode}")


if __name__ == "__main__":
    main()
