"""The cost of loading runs of many datasets: `python -m benchmarks.wide_runs [DATASETS] [--name-bytes N]`.

One COMPLETE names so many datasets, half of them inputs and half outputs, without columns: each new, or all known from
an earlier run. The table is in memory: its own CPU and its items count, those of an HTTP client do not.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import orjson

from headwater.events.event import DatasetUse, Event
from headwater.facts.apply import apply_statements
from headwater_model.ids import DatasetId, JobId
from headwater_model.named_datasets import DATASETS_MAX
from local_stack.aws.item_sizes import item_bytes
from tests.fakes.memory_table import MemoryTable

_JOB = JobId("lake", "compact_everything")
_EVENTS = (
    ("each dataset is new", "01941f29-7c00-7ea7-b5a3-000000000001", "2025-11-20T12:00:00.000000Z"),
    ("the same again", "01941f29-7c00-7ea7-b5a3-000000000002", "2025-11-21T12:00:00.000000Z"),
)


def wide_event(run: str, event_time: str, datasets: int, name_bytes: int) -> Event:
    """Return a COMPLETE of so many datasets, half of them inputs, whose names have so many bytes."""
    uses = [
        DatasetUse(DatasetId("s3://lake", f"part-{number:06}".ljust(name_bytes, "x"))) for number in range(datasets)
    ]
    inputs, outputs = uses[: datasets // 2], uses[datasets // 2 :]
    event = Event(kind="RUN", time=event_time, hash=run, type="COMPLETE", run=run, job=_JOB)
    return replace(event, inputs=tuple(inputs), outputs=tuple(outputs))


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the cost of each event as a line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("datasets", nargs="?", type=int, default=DATASETS_MAX)
    parser.add_argument("--name-bytes", type=int, default=40)
    given = parser.parse_args(arguments)
    table = MemoryTable()
    for label, run, event_time in _EVENTS:
        event = wide_event(run, event_time, given.datasets, given.name_bytes)
        began_s = time.process_time()
        apply_statements([event], table)
        spent_s = time.process_time() - began_s
        kinds = Counter(item["sk"]["S"].partition("#")[0] for item in table.dynamo.items())
        figures = {
            "event": label,
            "datasets": given.datasets,
            "cpu_s": round(spent_s, 1),
            "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            "items": sum(kinds.values()),
            "bytes": sum(map(item_bytes, table.dynamo.items())),
            "requests": dict(table.dynamo.calls.requests),
        }
        print(orjson.dumps(figures).decode(), flush=True)


if __name__ == "__main__":
    main()
