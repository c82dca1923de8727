"""Streams of statements with columns: the streams of `tests.unit.facts.strategies`, with facets put on them."""

from dataclasses import replace

from hypothesis import strategies as st

from headwater.events.event import DatasetUse, Event
from tests.unit.facts import strategies as runs
from tests.unit.facts.strategies import DATASETS, JOBS, RUNS, TIMES, stamped
from tests.unit.queries.columns.column_statements import (
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

# A struct and fields inside it, in some schemas.
COLUMNS = ("carrier", "plane", "plane.tail", "plane.seats")
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

_columns = st.sampled_from(COLUMNS)
_maybe_column = st.sampled_from((*COLUMNS, *COLUMNS, None))
_ways = st.lists(st.sampled_from((IDENTITY, HASHED, JOINED)), max_size=2, unique_by=str)
_job = st.just({"type": "JOB", "namespace": "emissions", "name": "check"})


def _some(datasets):
    """Draw mostly from `datasets`, if there are any."""
    return st.sampled_from([*datasets * 6, *DATASETS])


def _taken(datasets, fields=_columns):
    return st.builds(lambda dataset, field, ways: taken(dataset, field, *ways), _some(datasets), fields, _ways)


def _by_column(sources):
    return st.dictionaries(_columns, st.lists(sources, max_size=2), max_size=3)


@st.composite
def column_lineages(draw, datasets=()):
    """Draw a `columnLineage` facet, of any version, mostly with sources in `datasets`."""
    sources = _taken(list(datasets))
    whole = draw(st.one_of(st.just([]), st.just([]), st.lists(sources, max_size=1)))
    facet = column_lineage(whole, **draw(_by_column(sources)))
    if draw(st.integers(1, 3)) == 1:
        for column in facet["columnLineage"]["fields"].values():
            column.update(draw(st.sampled_from(_OLD_WORDS)))
    return facet


@st.composite
def _operation_sets(draw, datasets, destinations):
    """A read or two, a chain or a joint of transforms, and a write of some of it."""
    entries = [read(f"read{number}", draw(_some(datasets)), *_slashed(COLUMNS)) for number in range(draw(_one_or_two))]
    fields = [f"{entry['name']}.{column}" for entry in entries for column in entry["outputs"]]
    for name in ("wash", "hash", "join")[: draw(st.integers(0, 3))]:
        inputs = draw(st.lists(st.sampled_from(fields), max_size=2, unique=True))
        outputs = _slashed(draw(st.lists(_columns, max_size=2, unique=True)))
        typed = draw(st.booleans())
        entries.append(
            transform(name, inputs, *({"name": column, "type": "text"} if typed else column for column in outputs))
        )
        fields += [f"{name}.{column}" for column in outputs]
    for number in range(draw(_one_or_two)):
        inputs = draw(st.lists(st.sampled_from(fields[::-1]), min_size=1, max_size=3, unique=True))
        entries.append(write(f"write{number}", inputs, draw(_some(destinations))))
    return operations(*entries)


_one_or_two = st.integers(1, 2)


def _slashed(names):
    return [name.replace(".", "/") for name in names]


def _lineages(datasets):
    sources = st.one_of(_taken(datasets, _maybe_column), _taken(datasets, _maybe_column), _job)
    whole = st.lists(sources, max_size=1)
    return st.builds(lambda inputs, fields: lineage_of(inputs, **fields), whole, _by_column(sources))


@st.composite
def _entries(draw, datasets, destinations):
    entry = lineage_entry(draw(_some(destinations)))
    return {**entry, **draw(_lineages(datasets))}


@st.composite
def _output_of(draw, use, datasets):
    """Draw an output with facets of its columns."""
    facets = dict(use.facets)
    if draw(st.integers(1, 4)) > 1:
        reported = column_lineages(datasets)
        facets |= draw(st.one_of(reported, reported, reported, st.just({"columnLineage": _DELETED})))
    if draw(st.integers(1, 3)) == 1:
        facets |= draw(st.sampled_from(_SCHEMAS))
    if draw(st.integers(1, 3)) == 1:
        facets["tags"] = {"tags": [{"key": "pii", "field": draw(_columns)}]}
    return replace(use, facets=facets)


@st.composite
def _report(draw, event):
    """Draw facets for the event's outputs."""
    read_from = [use.dataset for use in event.inputs]
    outputs = tuple(draw(_output_of(use, read_from)) for use in event.outputs)
    written = [use.dataset for use in outputs]
    run_facets, job_facets = dict(event.run_facets), dict(event.job_facets)
    if event.kind == "RUN" and draw(st.integers(1, 5)) == 1:
        sets = _operation_sets(read_from, written)
        run_facets |= draw(st.one_of(sets, sets, st.just({"headwater_operations": _DELETED})))
    if draw(st.integers(1, 8)) == 1:
        entries = st.lists(_entries(read_from, written), max_size=2).map(lambda entry_list: lineage(*entry_list))
        job_facets |= draw(st.one_of(entries, entries, st.just({"lineage": _DELETED})))
    return stamped(replace(event, outputs=outputs, run_facets=run_facets, job_facets=job_facets))


@st.composite
def _declaring(draw, event):
    """Draw a DatasetEvent, perhaps with declared sources."""
    facets = dict(event.dataset.facets)
    if draw(st.booleans()):
        facets |= draw(st.one_of(_lineages([]).map(lambda facet: {"lineage": facet}), st.just({"lineage": _DELETED})))
    if draw(st.booleans()):
        facets |= draw(column_lineages())
    return stamped(replace(event, dataset=replace(event.dataset, facets=facets)))


@st.composite
def _pipelines(draw):
    """Draw a run of each job in turn: it reads the output of the run before, and reports a column at least."""
    datasets = draw(st.permutations(DATASETS))
    times = sorted(draw(st.lists(st.sampled_from(TIMES), min_size=len(JOBS), max_size=len(JOBS))))
    events = []
    for place, time in enumerate(times[: draw(st.integers(1, len(JOBS)))]):
        source, target, column = datasets[place], datasets[place + 1], draw(_columns)
        event = Event(
            kind="RUN",
            time=time,
            hash="",
            type=draw(st.sampled_from(("COMPLETE", "COMPLETE", "FAIL"))),
            run=RUNS[place],
            job=JOBS[place],
            inputs=(DatasetUse(source),),
            outputs=(DatasetUse(target, column_lineage(**{column: [taken(source, draw(_columns), IDENTITY)]})),),
        )
        events.append(event if draw(st.booleans()) else draw(_report(event)))
    return [stamped(repeat) for event in events for repeat in draw(_repeats(event))]


@st.composite
def _repeats(draw, event):
    """Repeat the event, perhaps in later runs of its job: most runs report the same as the run before."""
    runs = draw(st.lists(st.sampled_from([run for run in RUNS if run != event.run]), max_size=2, unique=True))
    later = [time for time in TIMES if time >= event.time]
    kinds = st.sampled_from(("COMPLETE", "COMPLETE", "FAIL", "START"))
    return [event, *(replace(event, run=run, time=draw(st.sampled_from(later)), type=draw(kinds)) for run in runs)]


@st.composite
def streams(draw, max_size=4, statements=None):
    """Draw statements of any kind, many with columns, each once, by time and hash."""
    reported = [
        draw(_with_columns(statement))
        for statement in draw(runs.streams(max_size) if statements is None else statements)
    ]
    reported += [event for events in draw(st.lists(_pipelines(), max_size=2)) for event in events]
    return sorted(
        {statement.hash: statement for statement in reported}.values(),
        key=lambda statement: (statement.time, statement.hash),
    )


def _with_columns(statement):
    if not isinstance(statement, Event):
        return st.just(statement)
    return _declaring(statement) if statement.kind == "DATASET" else _report(statement)
