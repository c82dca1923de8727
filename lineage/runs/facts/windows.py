"""The rows by which questions about a time range find runs: those that wrote a dataset, and those that read it.

They move with the run's facts in one transaction, so that a reader can trust them unread: a run whose first event was
heard of last has one start all the same. What has no room in a transaction is marked, and checked when read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from lineage.names import RunKey
from lineage.runs.facts.growing import IdText, RunFacts, dataset_of, text_of
from lineage.runs.facts.keys import dataset_pk
from lineage.runs.facts.run import owner, root_run, state
from lineage.runs.facts.table import Key, Row
from lineage.runs.facts.tellings import is_explicit, read_by, told_datasets, told_of

# As many go and as many come in a transaction of 99, with what else moves.
EXACT_MAX = 45


def exact_rows(run: RunKey, facts: RunFacts) -> dict[Key, Row]:
    """The rows that move with the facts."""
    return dict(islice(window_rows(run, facts).items(), EXACT_MAX))


def marked_rows(run: RunKey, facts: RunFacts) -> dict[Key, Row]:
    """The rows for which the reader asks the facts."""
    rest = islice(window_rows(run, facts), EXACT_MAX, None)
    return {key: Row(*key, {"marked": True}) for key in rest}


def window_rows(run: RunKey, facts: RunFacts) -> dict[Key, Row]:
    """Every row of a run, by key and in the order of keys."""
    rows = _rows(run, facts) if facts.first else iter(())
    return {row.key: row for row in sorted(rows, key=lambda row: row.key)}


def _rows(run: RunKey, facts: RunFacts) -> Iterator[Row]:
    job = owner(facts)
    place = f"{facts.first}#{run}"
    shared = {
        "job": text_of(job) if job else None,
        "root": str(root_run(run, facts)),
        "declared": bool(facts.declared),
        "state": None if facts.declared else state(facts),
    }
    written = _written(facts)
    read: dict[IdText, dict[IdText, Any]] = {text: {} for text in facts.inputs}
    for dataset, told in written.items():
        yield Row(dataset_pk(dataset_of(dataset)), f"B#{place}", {**shared, **told})
        for source in told["sources"]:
            read.setdefault(source, {})[dataset] = told["tellings"]
    by_operations = read_by(facts)
    for source in {**read, **by_operations}:
        told = {"into": read.get(source, {}), "read": by_operations.get(source, [])}
        yield Row(dataset_pk(dataset_of(source)), f"F#{place}", {**shared, **told})


def _written(facts: RunFacts) -> Mapping[IdText, Mapping[str, Any]]:
    """By dataset that it wrote or told of: its tellings, and what it depends on (all inputs, if nothing was told)."""
    found = {}
    for dataset in sorted(facts.outputs.keys() | told_datasets(facts)):
        told = told_of(facts, dataset)
        sources = sorted(facts.inputs) if told is None and not is_explicit(facts) else []
        found[dataset] = {
            "tellings": list(told.tellings) if told else [],
            "sources": list(told.sources) if told else sources,
        }
    return found
