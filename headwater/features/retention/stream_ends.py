"""The ends of coarse rows of streams: days after the stream's first event of its next row.

    WITH_IO_DAY#2025-11-20~#<run>      serves readers as of a time until the stream's first event of the next day

The last row of a stream stays, however old it is. Ends need the exact times of events: facts have the latest hundred.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from functools import partial
from itertools import groupby, pairwise

from headwater.facts.facet_refs import datasets_ever_with_columns
from headwater.facts.facts import RunFacts, dataset_of
from headwater.facts.index_rows import active_rows, column_rows, io_rows
from headwater.facts.kept import end_s
from headwater.facts.run_facts import effective_times
from headwater.facts.stream_rows import stream_positions
from headwater.facts.table import GraphTable, Row
from headwater_model.ids import RunKey


def expire_stream_rows(added: Mapping[RunKey, RunFacts], merged: Mapping[RunKey, RunFacts], table: GraphTable) -> None:
    """Write the ends of the coarse rows before and at the added events, where later events have rows of their own."""
    for run, facts in merged.items():
        for time, later in _superseded(facts, {*added[run].times, *added[run].ends}) if facts.streaming else ():
            rows = _coarse_rows(run, facts, time)
            table.expire([row.key for row in rows], end_s(later, table.kept["streams"]))


def _superseded(facts: RunFacts, added: Set[str]) -> Iterator[tuple[str, str]]:
    """Yield a time in each of the superseded rows, with the first time of the next row."""
    firsts = [next(times) for _, times in groupby(effective_times(facts), partial(_position, facts))]
    for time, later in pairwise(firsts):
        # An event changes ends only as the first of its row.
        if added & {time, later}:
            yield time, later


def _position(facts: RunFacts, time: str) -> tuple[str, str]:
    return next(stream_positions("", facts, [time]))


def _coarse_rows(run: RunKey, facts: RunFacts, time: str) -> Iterator[Row]:
    job = facts.job_id
    if job is None or time in facts.ends:
        return
    yield from io_rows(run, facts, job, [time])
    yield from column_rows(run, facts, job, datasets_ever_with_columns(facts), [time])
    for text in facts.outputs:
        yield from active_rows(run, facts, dataset_of(text), [time])
