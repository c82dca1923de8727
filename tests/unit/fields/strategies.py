"""Streams of statements that tell of columns: those of `tests.unit.runs.strategies`, with facets put on them."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from lineage.runs.event import Event
from tests.unit.fields.telling import (
    HASHED,
    IDENTITY,
    JOINED,
    a_schema,
    column_lineage,
    lineage,
    lineage_entry,
    lineage_of,
    operations,
    read,
    taken,
    transform,
    write,
)
from tests.unit.runs import strategies as runs
from tests.unit.runs.strategies import DATASETS, stamped

# One of them lies inside another, and is in some schemas.
COLUMNS = ("carrier", "co2", "plane.tail")
_DELETED = {"_deleted": True}
_SCHEMAS = (
    a_schema("carrier", ("co2", "int")),
    a_schema("carrier", ("co2", "double")),
    a_schema("carrier"),
    a_schema(("plane", "struct", [("tail", "string")])),
    a_schema(),
    {"schema": _DELETED},
)
_OLD_WORDS = (
    {"transformationType": "IDENTITY", "transformationDescription": "as is"},
    {"transformationType": "MASKED"},
    {"transformationType": "HASH", "transformationDescription": ""},
    {"transformationDescription": "somehow"},
)

_datasets = st.sampled_from(DATASETS)
_columns = st.sampled_from(COLUMNS)
_ways = st.lists(st.sampled_from((IDENTITY, HASHED, JOINED)), max_size=2, unique_by=str)
_maybe_column = st.sampled_from((*COLUMNS, *COLUMNS, None))
_taken = st.builds(lambda dataset, field, ways: taken(dataset, field, *ways), _datasets, _columns, _ways)
_loosely_taken = st.one_of(
    st.builds(lambda dataset, field, ways: taken(dataset, field, *ways), _datasets, _maybe_column, _ways),
    st.just({"type": "JOB", "namespace": "emissions", "name": "check"}),
)
_few = st.lists(_taken, max_size=2)
_few_loosely = st.lists(_loosely_taken, max_size=2)
_wholes = st.one_of(st.just([]), st.lists(_taken, max_size=1))
_by_column = st.dictionaries(_columns, _few, max_size=2)


@st.composite
def column_lineages(draw):
    """A `columnLineage` facet, of any version."""
    facet = column_lineage(draw(_wholes), **draw(_by_column))
    if draw(st.integers(1, 3)) == 1:
        for column in facet["columnLineage"]["fields"].values():
            column.update(draw(st.sampled_from(_OLD_WORDS)))
    return facet


@st.composite
def _operation_sets(draw, destinations):
    """A read or two, a chain or a joint of transforms, and a write of some of it."""
    there = st.sampled_from(destinations or DATASETS)
    every = [read(f"read{number}", draw(_datasets), *COLUMNS) for number in range(draw(st.integers(1, 2)))]
    fields = [f"{one['name']}.{column}" for one in every for column in _slashed(one["outputs"])]
    for one in every:
        one["outputs"] = _slashed(one["outputs"])
    for name in ("wash", "hash", "join")[: draw(st.integers(0, 3))]:
        inputs = draw(st.lists(st.sampled_from(fields), max_size=2, unique=True))
        outputs = _slashed(draw(st.lists(_columns, max_size=2, unique=True)))
        typed = draw(st.booleans())
        every.append(transform(name, inputs, *({"name": one, "type": "text"} if typed else one for one in outputs)))
        fields += [f"{name}.{one}" for one in outputs]
    for number in range(draw(st.integers(1, 2))):
        inputs = draw(st.lists(st.sampled_from(fields[::-1]), min_size=1, max_size=3, unique=True))
        every.append(write(f"write{number}", inputs, draw(there)))
    return operations(*every)


def _slashed(names):
    return [one.replace(".", "/") for one in names]


@st.composite
def _entries(draw, datasets):
    entry = lineage_entry(draw(st.sampled_from(datasets or DATASETS)), draw(_few_loosely))
    return {**entry, **draw(_lineages)}


_lineages = st.builds(
    lambda inputs, fields: lineage_of(inputs, **fields),
    _few_loosely,
    st.dictionaries(_columns, _few_loosely, max_size=2),
)


@st.composite
def _told_of(draw, use):
    """A dataset that was written, with facets that tell of its columns."""
    facets = dict(use.facets)
    if draw(st.integers(1, 3)) > 1:
        facets |= draw(st.one_of(column_lineages(), column_lineages(), st.just({"columnLineage": _DELETED})))
    if draw(st.integers(1, 3)) == 1:
        facets |= draw(st.sampled_from(_SCHEMAS))
    return replace(use, facets=facets)


@st.composite
def _telling(draw, event):
    """The event with facets that tell of what it writes, now and then of what it does not."""
    outputs = tuple(draw(_told_of(use)) for use in event.outputs)
    written = [use.dataset for use in outputs] if draw(st.integers(1, 8)) > 1 else []
    run_facets, job_facets = dict(event.run_facets), dict(event.job_facets)
    if event.kind == "RUN" and draw(st.integers(1, 4)) == 1:
        run_facets |= draw(st.one_of(_operation_sets(written), st.just({"headwater_operations": _DELETED})))
    if draw(st.integers(1, 8)) == 1:
        entries = st.lists(_entries(written), max_size=2).map(lambda some: lineage(*some))
        job_facets |= draw(st.one_of(entries, entries, st.just({"lineage": _DELETED})))
    return stamped(replace(event, outputs=outputs, run_facets=run_facets, job_facets=job_facets))


@st.composite
def _declaring(draw, event):
    """A DatasetEvent that may declare what its dataset is made of."""
    facets = dict(event.dataset.facets)
    if draw(st.booleans()):
        facets |= draw(st.one_of(_lineages.map(lambda one: {"lineage": one}), st.just({"lineage": _DELETED})))
    if draw(st.booleans()):
        facets |= draw(column_lineages())
    return stamped(replace(event, dataset=replace(event.dataset, facets=facets)))


@st.composite
def streams(draw, max_size=6):
    """Statements that tell of columns, each once, by time and hash."""
    told = [draw(_with_columns(one)) for one in draw(runs.streams(max_size))]
    return sorted({one.hash: one for one in told}.values(), key=lambda one: (one.time, one.hash))


def _with_columns(statement):
    if not isinstance(statement, Event):
        return st.just(statement)
    return _declaring(statement) if statement.kind == "DATASET" else _telling(statement)
