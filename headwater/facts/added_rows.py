"""The index rows of a run's growing facts, computed from the growth alone.

To make all rows of the old and the new facts would cost a stream more with each of its events.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

from headwater.facts.facet_refs import LINEAGE, OPERATIONS, datasets_ever_with_columns
from headwater.facts.facts import IdText, RunFacts, dataset_of
from headwater.facts.index_rows import active_rows, column_rows, dataset_rows, io_rows, rows_of, version_rows
from headwater.facts.run_facts import code_of, effective_times, ended, has_io, parent_run
from headwater.facts.run_io import io_times, version_times
from headwater.facts.run_reports import has_begun_alone, transactional_rows, unverified_rows
from headwater.facts.stream_rows import stream_positions
from headwater.facts.table import Key, Row
from headwater_model.ids import RunKey

# The facts by dataset.
_BY_DATASET = ("inputs", "outputs", "input_facets", "output_facets", "read_facets", "written_facets")


def added_rows(run: RunKey, old: RunFacts, new: RunFacts) -> Iterator[Row]:
    """Yield the new facts' index rows, without the rows of the old facts."""
    job = new.job_id
    # A change of a shared value changes all rows; runs with rows in a transaction have few rows. Both are made anew.
    if job is None or _shared(old) != _shared(new) or transactional_rows(run, old) or transactional_rows(run, new):
        yield from _lacking(rows_of(run, new), rows_of(run, old))
        return
    # Otherwise only the rows of changed datasets differ.
    pairs = [(getattr(old, name), getattr(new, name)) for name in _BY_DATASET]
    changed = {text for left, right in pairs for text, value in right.items() if left.get(text) is not value}
    before, after = (_of_some(facts, changed) for facts in (old, new))
    # An input is no source, in either half of the comparison.
    inputs = new.inputs.keys()
    rows, known = (
        {row.key: row for row in dataset_rows(run, part, job, inputs)} | unverified_rows(run, part)
        for part in (after, before)
    )
    yield from _lacking(rows, known)
    yield from version_rows(run, new, job, _times_of_change(before, after, new))
    reported = datasets_ever_with_columns(after) - datasets_ever_with_columns(before)
    yield from column_rows(run, new, job, reported, effective_times(new))
    if new_times := _uncovered_times(old, new):
        yield from io_rows(run, new, job, new_times)
        yield from column_rows(run, new, job, datasets_ever_with_columns(new) - reported, new_times)
    yield from _added_active_rows(run, old, new, new.outputs.keys() - changed, new_times)


def _added_active_rows(
    run: RunKey, old: RunFacts, new: RunFacts, outputs: Set[IdText], new_times: Sequence[str]
) -> Iterator[Row]:
    """Yield the rows of a stream's new events for its earlier outputs.

    An output first named by an end has no row of an earlier event to cover the new events.
    """
    ends = new.ends
    if not (ends or new_times):
        return
    added = sorted(set(effective_times(new)) - set(effective_times(old)))
    for text in outputs:
        if times := added if new.outputs[text] in ends else new_times:
            yield from active_rows(run, new, dataset_of(text), times)


def _uncovered_times(old: RunFacts, new: RunFacts) -> Sequence[str]:
    """List the times of a stream's new events without a row at their position already."""
    times = set(effective_times(old))
    added = sorted(set(effective_times(new)) - times)
    known = set(stream_positions("", old, times)) if added else set()
    return [time for time in added if not known >= set(stream_positions("", new, [time]))]


def _shared(facts: RunFacts) -> tuple[object, ...]:
    facets = facts.job_facets.get(LINEAGE), facts.run_facets.get(OPERATIONS)
    about = facts.job_id, facts.first, facts.declared, facts.streaming, list(facts.terminals), parent_run(facts)
    # A START that arrives late may choose another of the terminal events.
    counts = has_begun_alone(facts), bool(effective_times(facts))
    return (*about, *facets, ended(facts), code_of(facts), has_io(facts), *counts)


def _of_some(facts: RunFacts, texts: Set[IdText]) -> RunFacts:
    """Reduce the facts to these datasets."""
    parts: dict[str, Any] = {}
    for name in _BY_DATASET:
        by_text = getattr(facts, name)
        parts[name] = {text: by_text[text] for text in texts & by_text.keys()}
    return replace(facts, **parts)


def _times_of_change(before: RunFacts, after: RunFacts, new: RunFacts) -> list[str]:
    """List the times of the run's versions with datasets unknown before."""
    firsts = [
        first
        for old, of_side in ((before.inputs, after.inputs), (before.outputs, after.outputs))
        for text, first in of_side.items()
        if old.get(text) != first
    ]
    firsts += sorted(io_times(after) - io_times(before)) if new.windows else []
    if not firsts:
        return []
    # All datasets count at the run's end; without a stream, at each version.
    earliest = min(firsts) if new.streaming else ""
    end = ended(new)
    return [time for time in version_times(new) if time >= earliest or time == end]


def _lacking(rows: Mapping[Key, Row], known: Mapping[Key, Row]) -> Iterator[Row]:
    return (row for key, row in rows.items() if known.get(key) != row)
