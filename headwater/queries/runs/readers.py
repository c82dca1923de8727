"""Runs that may have read what other runs wrote, by the index of each dataset's readers by start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from headwater.facts.facts import RunFacts, text_of
from headwater.facts.index_scan import run_of
from headwater.facts.keys import dataset_pk
from headwater.facts.run_facts import written_datasets
from headwater.facts.table import RowQuery
from headwater.queries.resolve import ResolvedDatasets
from headwater.queries.view import GraphView
from headwater.times import shift
from headwater_model.ids import DatasetId, RunKey

# Runs that are looked at for each name of a dataset that was written.
READERS_MAX = 1_000


def possible_readers(
    runs: Mapping[RunKey, RunFacts], view: GraphView, groups: ResolvedDatasets
) -> tuple[Mapping[RunKey, set[DatasetId]], bool]:
    """Return the runs that may have read what these wrote, with the names of what they read; true if there are more.

    They started at most a day before the first of these: a reader may begin before its writer ends.
    """
    written = {run: list(written_datasets(facts)) for run, facts in runs.items()}
    groups.load_names(name for names in written.values() for name in names)
    since: dict[DatasetId, str] = {}
    for run, names in written.items():
        start = runs[run].first or ""
        opened = [groups.group(name) for name in names if groups.opens(name, view.caller)]
        for name in {name for group in opened for name in group.names}:
            since[name] = min(start, since.get(name, start))
    queries = [
        RowQuery(dataset_pk(name), low=f"FORWARD#{_a_day_before(start)}", high="FORWARD#~", limit=READERS_MAX)
        for name, start in since.items()
    ]
    pages = view.query(queries)
    readers: dict[RunKey, set[DatasetId]] = {}
    for name, page in zip(since, pages, strict=True):
        for row in page.rows:
            readers.setdefault(run_of(row), set()).add(name)
    return readers, any(page.more for page in pages)


def reading(facts: RunFacts, names: set[DatasetId]) -> RunFacts:
    """Return the facts of a run as if it had read these names alone, of those that it read."""
    texts = set(map(text_of, names))
    return replace(facts, inputs={text: time for text, time in facts.inputs.items() if text in texts})


def _a_day_before(time: str) -> str:
    return f"{shift(time[:10], -1)}{time[10:]}" if time else ""
