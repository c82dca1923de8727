"""The cost of an event: an upper bound of DynamoDB's write units for loading it, estimated from its content.

The time of a loader grows with the units, so an event has at most `UNITS_MAX`. The API takes the cost from the budget
of the sender's token: `UNITS_OF_BUDGET` are an event of the budget. Most events cost far less: the estimate holds for
new datasets, and a known dataset takes a few units.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from math import ceil

import orjson

from headwater.events.event import DatasetUse, Event, Facets, objects_in
from headwater_model.errors import TooLarge
from headwater_model.ids import DatasetId
from headwater_model.named_datasets import check_count

UNITS_MAX = 400_000
# Bytes of the JSON of an event.
BYTES_MAX = 8 * 1024 * 1024
# Units of an event of a token's budget: 40 new datasets, or 400 known datasets.
UNITS_OF_BUDGET = 1_000
# Units of rows, without rows of words: of a run and its job, of a dataset, of each further name, tag, owner, source and
# job. A facet takes memory.
_RUN, _DATASET, _DATASET_ROWS = 60, 8, 12
_OTHER_NAME, _TAG, _OWNER, _SOURCE, _JOB, _FACET = 2, 6, 3, 10, 4, 3
# A word has a row in two scopes. A row repeats the name, so of long names fewer words have rows (`words`).
_ROWS_OF_WORD, _WORDS_MAX, _WORDS_BYTES_MAX, _ROW_BYTES = 2, 32, 16_384, 600
# The most units for the columns of a dataset; the bytes of columns for each unit; the units for a kilobyte of content.
_COLUMNS_OF_DATASET, _BYTES_OF_COLUMN_UNIT, _A_KB = 90, 8, 5
_COLUMNS = frozenset({"schema", "columnLineage", "lineage", "headwater_operations"})
# Facets with tags, owners, sources or jobs.
_WITH_ROWS = frozenset({"dataSource", "jobDependencies", "lineage", "ownership", "tags"})
_BORDER = re.compile(r"[\W_]+|\d+|[A-Z]+")


def cost_of(event: Event, size: int) -> int:
    """Estimate the most write units for an event with `size` bytes of JSON.

    Raises:
        TooLarge: the event has too many bytes, names too many datasets, or costs too many units.
    """
    if size > BYTES_MAX:
        raise TooLarge(f"event: must have at most {BYTES_MAX:,} bytes of JSON, got {size:,}")
    datasets = {use.dataset for use in event.uses}
    others = {other for use in event.uses for other in _other_names(use)} - datasets
    check_count(len(datasets) + len(others))
    # Rows of the run, of datasets and their other names; content by the kilobyte.
    units = _RUN + sum(map(_units_of, datasets)) + _OTHER_NAME * len(others) + ceil(_A_KB * size / 1_024)
    of_jobs = (event.run_facets, event.job_facets, event.parent_facets, event.root_facets)
    facets = (*of_jobs, *(use.facets for use in event.uses))
    units += sum(map(_units_in, facets)) + _FACET * sum(len(use.use_facets) for use in event.uses)
    # Columns cost by their bytes, up to a bound: the columns of a wide dataset share rows.
    columns = sum(len(orjson.dumps(of[name])) for of in facets for name in of.keys() & _COLUMNS)
    units += min(columns // _BYTES_OF_COLUMN_UNIT, _COLUMNS_OF_DATASET * (len(datasets) + 1))
    if units > UNITS_MAX:
        raise TooLarge(
            f"event: must cost at most {UNITS_MAX:,} write units to load, and may cost {units:,}; further events of "
            "the same run may name some of its datasets, columns and tags"
        )
    return units


def events_of(units: int) -> int:
    """Convert write units to events of a budget.

    >>> events_of(60), events_of(1_001)
    (1, 2)
    """
    return ceil(units / UNITS_OF_BUDGET)


def _units_of(dataset: DatasetId) -> int:
    """Count the units of a dataset: of its own rows, and of the rows of its words."""
    size = len(dataset.namespace.encode()) + len(dataset.name.encode())
    borders = len(_BORDER.findall(dataset.name)) if dataset.name.isascii() else len(dataset.name)
    words = max(1, min(1 + borders, _WORDS_MAX, _WORDS_BYTES_MAX // size))
    return _DATASET + (_DATASET_ROWS + _ROWS_OF_WORD * words) * ceil(size / _ROW_BYTES)


def _units_in(facets: Facets) -> int:
    """Count the units of the tags, owners, sources and further jobs in facets."""
    if not facets.keys() & _WITH_ROWS:
        return _FACET * len(facets)
    jobs = [*objects_in(facets, "jobDependencies", "upstream"), *objects_in(facets, "jobDependencies", "downstream")]
    jobs += [source for entry in objects_in(facets, "lineage", "entries") for source in _inputs(entry)]
    return (
        _TAG * len(objects_in(facets, "tags", "tags"))
        + _OWNER * len(objects_in(facets, "ownership", "owners"))
        + _SOURCE * ("dataSource" in facets)
        + _FACET * len(facets)
        + _JOB * len([job for job in jobs if job.get("type", "JOB") == "JOB"])
    )


def _inputs(entry: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    fields = entry.get("fields")
    for holder in (entry, *(fields.values() if isinstance(fields, Mapping) else ())):
        yield from holder.get("inputs") or ()


def _other_names(use: DatasetUse) -> Iterator[DatasetId]:
    for identifier in objects_in(use.facets, "symlinks", "identifiers"):
        yield DatasetId(str(identifier["namespace"]), str(identifier["name"]))
