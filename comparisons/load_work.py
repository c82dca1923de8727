"""The load of a world's events into DynamoDB: `python -m comparisons.load_work BEGIN END [hub]`.

The events function's handler loads the runs of the jobs from BEGIN to END, and of the hub's readers, in its batches.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from benchmarks.events_work import BATCH, our_load
from benchmarks.processes import Stopwatch, print_figures
from comparisons.world import events
from headwater.aws.items import chunks
from headwater.events.ingest import render_event_message


def main(arguments: Sequence[str]) -> None:
    """Load, and print the seconds and the number of events."""
    begin, end, *hub = arguments
    load = our_load()
    bodies = [render_event_message(event) for event in events(int(begin), int(end), hub=bool(hub))]
    watch = Stopwatch()
    for batch in chunks(bodies, BATCH):
        load(batch)
    print_figures(events=len(bodies), **watch.read())


if __name__ == "__main__":
    main(sys.argv[1:])
