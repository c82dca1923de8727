"""Streams of statements, small in names and rich in trouble. The names are the emissions pipeline's."""

import hashlib
from dataclasses import asdict, replace
from itertools import accumulate

import orjson
from hypothesis import strategies as st

from headwater.events.event import (
    DatasetUse,
    Deletion,
    Description,
    Documentation,
    Event,
    Ownership,
    ParentRun,
    Tagging,
)
from headwater.times import from_seconds
from headwater_model.ids import DatasetId, JobId

# The last dataset is in the jobs' namespace, so its deletion deletes both; the third is an alias of the second.
JOBS = (JobId("emissions", "check"), JobId("emissions", "read_flights"), JobId("nightly", "calculate"))
DATASETS = (
    DatasetId("s3://flights", "checked"),
    DatasetId("s3://flights", "landing"),
    DatasetId("arn:aws:glue:eu-west-1:1", "table/flights/landing"),
    DatasetId("emissions", "totals"),
)
RUNS = tuple(f"00000000-0000-4000-8000-00000000000{number}" for number in range(1, 5))
TIMES = tuple(f"2025-11-20T12:00:0{second}.000000Z" for second in range(6))
# Two on a day, then a day or more apart.
NEWS_TIMES = tuple(f"2025-11-{day}:00:00.000000Z" for day in ("20T08", "20T21", "21T08", "22T08", "24T08"))
_BEGAN_S = 1_763_640_000
_GAPS_S = (1, 50, 3_000, 15 * 3_600, 20 * 86_400)

_SCHEMAS = ({"fields": [{"name": "carrier"}]}, {"fields": [{"name": "carrier"}, {"name": "co2", "type": "double"}]})
_RETYPED = {"fields": [{"name": "carrier"}, {"name": "co2", "type": "float"}]}
_DELETED = {"_deleted": True}
_TAGS = (
    {"_producer": "https://a", "tags": [{"key": "PII"}, {"key": "team", "value": "blue"}, {"key": "gone"}]},
    {
        "tags": [
            {"key": "pii", "value": "True", "source": "DBT", "field": "carrier"},
            {"key": "PII", "value": "", "field": "carrier"},
            {"key": "PII", "field": "lost"},
            {"key": "team", "value": "TEAM"},
            {"key": "client", "value": "1", "source": "OPENLINEAGE_CLIENT"},
        ]
    },
    {"tags": []},
    _DELETED,
)
_OWNERS = (
    {"owners": [{"name": "ann"}, {"name": "team", "type": "OWNER"}, {"name": "ann"}]},
    {"_producer": "https://b", "owners": [{"name": "bob", "type": "MAINTAINER"}]},
    {"owners": []},
    _DELETED,
)
_SOURCES = (
    *({"name": "lake", "uri": url} for url in ("s3://a", "?")),
    *({"name": name} for name in ("lake", "warehouse")),
    {},
    _DELETED,
)
_LOST = (
    {"totalTasks": 2, "failedTasks": 1, "errors": [{"errorMessage": "no table after DROP"}]},
    {"totalTasks": 1, "failedTasks": 0, "errors": []},
)
_CAPTURED = (
    {"tier": "full", "cut": ["sql"], "counts": {"writes": 2, "lost": 0}},
    {"tier": "doubtful"},
    {"tier": "full", "unknown": [{"field": "co2", "reason": "a function"}]},
    {"unknownInputs": ["an RDD"]},
    {"cut": ["error", "columnLineage"]},
    {"counts": {"lost": 1}},
)
_ENDS = ("COMPLETE", "COMPLETE", "START", "FAIL")
_LASTING = tuple(
    {"jobType": {"processingType": kind, "integration": "FLINK", "jobType": "JOB"}} for kind in ("Streaming", "SERVICE")
)
_SNAPSHOT = {"eventTrigger": "PERIODIC", "eventContentMode": "COMPLETE_SNAPSHOT", "windowDuration": 300}
_WINDOWS = tuple(
    {"jobType": {"processingType": kind, "integration": "TRINO", "emissionPattern": pattern}}
    for kind, pattern in (
        ("SERVICE", _SNAPSHOT),
        ("STREAMING", {"windowDuration": 60}),
        ("SERVICE", {"eventTrigger": "PERIODIC", "eventContentMode": "ACCUMULATIVE"}),
        ("BATCH", {"eventTrigger": "EVENT_BASED", "eventContentMode": "COMPLETE_SNAPSHOT"}),
    )
)
_CODES = (
    {"url": "https://git/a", "version": "1"},
    {"url": "https://git/a", "version": "2"},
    {"url": "https://git/a"},
    {"url": "https://git/b", "version": "2"},
    {"url": "https://git/b"},
    {"version": "1"},
)


def stamped(statement):
    """Give the statement the hash of its content."""
    fields = {name: value for name, value in asdict(statement).items() if name not in ("hash", "units")}
    content = orjson.dumps({**fields, "hash": ""}, option=orjson.OPT_SORT_KEYS)
    return replace(statement, hash=hashlib.sha256(content).hexdigest())


def a_symlink(*names):
    """Make the facet of a dataset's aliases."""
    return {"symlinks": {"identifiers": [{"namespace": dataset.namespace, "name": dataset.name} for dataset in names]}}


def _sometimes(strategy, ordinary, once_in=4):
    """Draw the ordinary value, and from `strategy` once in so many times."""
    return st.integers(1, once_in).flatmap(lambda chance: strategy if chance == once_in else st.just(ordinary))


def _facets(**facets):
    """Draw a few of the facets."""
    return st.fixed_dictionaries({}, optional={name: st.sampled_from(bodies) for name, bodies in facets.items()})


_VERSIONS = ({"datasetVersion": "1"}, {"datasetVersion": "2"})
_dataset_facets = _sometimes(
    st.one_of(
        _facets(schema=(*_SCHEMAS, _DELETED), documentation=({"description": "flights"}, {"description": "all"})),
        _facets(version=_VERSIONS),
        _facets(lifecycleStateChange=({"lifecycleStateChange": "DROP"}, {"lifecycleStateChange": "CREATE"})),
        st.lists(st.sampled_from(DATASETS), min_size=1, max_size=2).map(lambda names: a_symlink(*names)),
        _facets(tags=_TAGS, ownership=_OWNERS, schema=_SCHEMAS),
        _facets(dataSource=_SOURCES),
    ),
    {},
    2,
)
_uses = st.lists(
    st.builds(
        DatasetUse,
        st.sampled_from(DATASETS),
        _dataset_facets,
        _sometimes(_facets(statistics=({"rowCount": 1}, {"rowCount": 2}, _DELETED)), {}),
        _sometimes(st.just(True), False, 12),
    ),
    max_size=2,
    # The parser merges two mentions of a dataset in an event.
    unique_by=lambda use: use.dataset,
).map(tuple)
_job_facets = _sometimes(
    st.one_of(
        _facets(sourceCodeLocation=(*_CODES, _DELETED), documentation=({"description": "reads"},)),
        st.sampled_from((*_LASTING, *_WINDOWS)),
        _facets(tags=_TAGS, ownership=_OWNERS),
        st.just({"jobType": {"processingType": "BATCH", "integration": "SPARK"}}),
    ),
    {},
    2,
)
_run_facets = _sometimes(
    _facets(
        nominalTime=({"nominalStartTime": "2025-11-20T12:00:00Z"}, {"nominalStartTime": "?"}),
        tags=(*_TAGS, {"a": 1}, {}),
        extractionError=(*_LOST, _DELETED),
        headwater_capture=(*_CAPTURED, _DELETED),
    ),
    {},
)
_parents = _sometimes(st.builds(ParentRun, st.sampled_from(RUNS), st.sampled_from(JOBS)), None)


_of_parents = _sometimes(_facets(tags=_TAGS, ownership=_OWNERS, documentation=({"description": "of a child"},)), {}, 3)


_sides = st.sampled_from(("inputs", "outputs"))
_changes = st.sampled_from(
    [{}, *({"lifecycleStateChange": {"lifecycleStateChange": change}} for change in ("DROP", "CREATE"))]
)
_any_run = st.sampled_from(RUNS)
_SEVERITIES = ({}, {}, {"severity": "error"}, {"severity": "warn"})
_assertion_lists = st.lists(
    st.builds(
        lambda kind, of, success, severity: {"assertion": kind, "success": success, **of, **severity},
        st.sampled_from(("not_null", "unique")),
        st.sampled_from(({}, {"column": "carrier"}, {"column": "carrier", "name": "a", "actual": "1"})),
        st.booleans(),
        st.sampled_from(_SEVERITIES),
    ),
    max_size=3,
)
_expectation_lists = st.lists(
    st.builds(
        lambda kind, of, success: {"expectationType": kind, "success": success, **of},
        st.sampled_from(("not_null", "expect_table_row_count_to_be_between")),
        st.sampled_from(({}, {"column": "carrier"})),
        st.booleans(),
    ),
    max_size=2,
)
_results = st.one_of(
    _assertion_lists.map(lambda forms: {"dataQualityAssertions": {"assertions": forms}}),
    _expectation_lists.map(lambda forms: {"greatExpectations_assertions": {"assertions": forms}}),
    _facets(dataQualityAssertions=(_DELETED,), dataQualityMetrics=({"rowCount": 1}, {"rowCount": 2}, _DELETED)),
)
_test_lists = st.lists(
    st.builds(
        lambda name, status, kind, severity: {"name": name, "status": status, **kind, **severity},
        st.sampled_from(("a", "b")),
        st.sampled_from(("pass", "fail", "skip")),
        st.sampled_from(({}, {"type": "singular", "expected": "0"})),
        st.sampled_from(_SEVERITIES),
    ),
    max_size=2,
)
_any_type = st.sampled_from(("COMPLETE", "START", "RUNNING", "FAIL", "ABORT", None))


@st.composite
def run_events(draw, run=_any_run, types=_any_type):
    """Draw an event of a run: mostly of the run's own job, sometimes of any job."""
    run_id = draw(run)
    own = JOBS[RUNS.index(run_id) % len(JOBS)]
    event = Event(
        kind="RUN",
        time=draw(st.sampled_from(TIMES)),
        hash="",
        type=draw(types),
        run=run_id,
        job=draw(_sometimes(st.sampled_from(JOBS), own, 6)),
        inputs=draw(_uses),
        outputs=draw(_uses),
        run_facets=draw(_run_facets),
        job_facets=draw(_job_facets),
        parent=draw(_parents),
        root=draw(_parents),
    )
    of_parent, of_root = (draw(_of_parents) if parent else {} for parent in (event.parent, event.root))
    return stamped(replace(event, parent_facets=of_parent, root_facets=of_root))


@st.composite
def whole_runs(draw):
    """Draw the events of a run, from its start to its end, at any times."""
    run = st.just(draw(st.sampled_from(RUNS)))
    ends = st.sampled_from(("COMPLETE", "COMPLETE", "FAIL", "ABORT", "OTHER"))
    types = ("START", *draw(st.lists(ends, min_size=1, max_size=2)))
    return [draw(run_events(run, st.just(kind))) for kind in types]


@st.composite
def restarts(draw):
    """Draw a run of two attempts, perhaps as a stream, and a run that may read between the attempts."""
    run, reader = draw(st.permutations(RUNS))[:2]
    kinds = ("START", draw(st.sampled_from(("FAIL", "COMPLETE"))), "START", draw(st.sampled_from(("COMPLETE", "FAIL"))))
    extra = draw(st.sampled_from(("START", "COMPLETE", "FAIL", "RUNNING")))
    facets = draw(_sometimes(st.sampled_from(_LASTING), {}))
    placed = [*zip(TIMES, kinds, strict=False), (draw(st.sampled_from(TIMES)), extra)]
    events = [
        replace(draw(run_events(st.just(run), st.just(kind))), time=time, job_facets=facets) for time, kind in placed
    ]
    return [*map(stamped, events), draw(run_events(st.just(reader), st.sampled_from(_ENDS)))]


job_events = st.builds(
    lambda time, job, inputs, outputs, facets: stamped(
        Event(kind="JOB", time=time, hash="", job=job, inputs=inputs, outputs=outputs, job_facets=facets)
    ),
    st.sampled_from(TIMES),
    st.sampled_from(JOBS),
    _uses,
    _uses,
    _job_facets,
)
dataset_events = st.builds(
    lambda time, dataset, facets: stamped(
        Event(kind="DATASET", time=time, hash="", dataset=DatasetUse(dataset, facets))
    ),
    st.sampled_from(TIMES),
    st.sampled_from(DATASETS),
    st.one_of(_facets(schema=_SCHEMAS), _dataset_facets),
)
_deleted_things = st.one_of(
    st.sampled_from(DATASETS).map(lambda dataset: {"namespace": dataset.namespace, "dataset": dataset}),
    st.sampled_from(JOBS).map(lambda job: {"namespace": job.namespace, "job": job}),
    st.sampled_from([*JOBS, *DATASETS]).map(lambda node: {"namespace": node.namespace}),
)
_tagged_things = st.one_of(
    st.builds(
        lambda dataset, field, present: {"dataset": dataset, "field": field, "present": present},
        st.sampled_from(DATASETS),
        st.sampled_from((None, "carrier")),
        st.booleans(),
    ),
    st.builds(lambda job, present: {"job": job, "present": present}, st.sampled_from(JOBS), st.booleans()),
    st.sampled_from(({}, {"description": "personal"})),
)
taggings = st.builds(
    lambda time, tag, caller, thing: stamped(Tagging(time=time, hash="", tag=tag, caller=caller, **thing)),
    st.sampled_from(TIMES),
    st.sampled_from(("PII", "pii", "team:blue")),
    st.sampled_from((None, "token:a")),
    _tagged_things,
)
_annotated_things = st.one_of(
    st.sampled_from(DATASETS).map(lambda dataset: {"dataset": dataset}),
    st.sampled_from(JOBS).map(lambda job: {"job": job}),
)
ownerships = st.builds(
    lambda time, owner, kind, present, caller, thing: stamped(
        Ownership(time=time, hash="", owner=owner, type=kind, present=present, caller=caller, **thing)
    ),
    st.sampled_from(TIMES),
    st.sampled_from(("ann", "ANN", "bob")),
    st.sampled_from((None, "STEWARD")),
    st.booleans(),
    st.sampled_from((None, "token:a")),
    _annotated_things,
)
documentations = st.builds(
    lambda time, text, caller, thing: stamped(
        Documentation(time=time, hash="", description=text, caller=caller, **thing)
    ),
    st.sampled_from(TIMES),
    st.sampled_from((None, "each flight", "of the API")),
    st.sampled_from((None, "token:a")),
    st.one_of(
        _annotated_things,
        st.sampled_from(DATASETS).map(lambda dataset: {"dataset": dataset, "field": "carrier"}),
    ),
)
_described = st.fixed_dictionaries(
    {"owner": st.sampled_from((None, "ann")), "description": st.sampled_from((None, "flights", "all"))}
)
_described_source = st.fixed_dictionaries(
    {
        "type": st.sampled_from(("S3", "LAKE")),
        "connectionUrl": st.sampled_from(("s3://a", "lake://b")),
        "description": st.sampled_from((None, "all")),
    }
)
_described_things = st.one_of(
    st.builds(
        lambda name, values: {"namespace": name, "values": values},
        st.sampled_from(("emissions", "s3://flights", "quiet")),
        _described,
    ),
    st.builds(
        lambda name, values: {"source": name, "values": values}, st.sampled_from(("lake", "default")), _described_source
    ),
)
descriptions = st.builds(
    lambda time, thing: stamped(Description(time=time, hash="", **thing)), st.sampled_from(TIMES), _described_things
)
deletions = st.builds(
    lambda time, thing: stamped(Deletion(time=time, hash="", **thing)), st.sampled_from(TIMES), _deleted_things
)


def explicit(event, pairs, _deleted=False):
    """Add a `lineage` facet of the job to the event: `pairs` of an output's and an input's position."""
    entries = [
        {
            "type": "DATASET",
            "namespace": use.dataset.namespace,
            "name": use.dataset.name,
            "inputs": [
                {"type": "DATASET", "namespace": read.dataset.namespace, "name": read.dataset.name}
                for source, read in enumerate(event.inputs)
                if (output, source) in pairs
            ],
        }
        for output, use in enumerate(event.outputs)
        if any(output == place for place, _ in pairs)
    ]
    facet = _DELETED if _deleted else {"entries": entries}
    return stamped(replace(event, job_facets={**event.job_facets, "lineage": facet}))


@st.composite
def explicit_runs(draw):
    """Draw runs and JobEvents of two jobs with shared datasets, mostly with the stated inputs of each output."""
    events = []
    sides = st.lists(st.builds(DatasetUse, st.sampled_from(DATASETS)), max_size=3, unique_by=lambda use: use.dataset)
    for time in draw(st.lists(st.sampled_from(TIMES), min_size=1, max_size=4)):
        run = draw(st.sampled_from(RUNS[:3]))
        job, given = JOBS[RUNS.index(run) % 2], {"inputs": tuple(draw(sides)), "outputs": tuple(draw(sides))}
        kind = draw(st.sampled_from(("COMPLETE", "COMPLETE", "START", "JOB")))
        of_run = {"kind": "JOB"} if kind == "JOB" else {"kind": "RUN", "type": kind, "run": run}
        event = Event(time=time, hash="", job=job, **of_run, **given)
        if kind != "JOB":
            event = replace(event, job_facets=draw(_sometimes(st.sampled_from(_WINDOWS), {}, 3)))
        pairs = draw(st.sets(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=4))
        stated = draw(st.integers(1, 5))
        events.append(stamped(event) if stated == 5 else explicit(event, pairs, _deleted=stated == 4))
    return events


_named_jobs = st.sampled_from(JOBS).map(lambda job: {"namespace": job.namespace, "name": job.name})
_job_sources = st.lists(st.one_of(_named_jobs, st.just({})).map(lambda form: {"type": "JOB", **form}), max_size=2)
_dependencies = st.lists(_named_jobs.map(lambda job: {"job": job}), max_size=2)


_declared_inputs = st.one_of(
    st.sampled_from(DATASETS).map(
        lambda dataset: {"type": "DATASET", "namespace": dataset.namespace, "name": dataset.name}
    ),
    st.just({"type": "JOB"}),
)


@st.composite
def linked_runs(draw):
    """Draw runs and JobEvents with named jobs: as sources of their data, and as dependencies."""
    events = []
    for time in draw(st.lists(st.sampled_from(TIMES), min_size=2, max_size=4)):
        run = draw(_any_run)
        job = JOBS[RUNS.index(run) % len(JOBS)]
        outputs = tuple(map(DatasetUse, draw(st.sampled_from(((), DATASETS[:1], DATASETS[1:2])))))
        targets = [{"type": "JOB"}, *({"type": "DATASET", **_named(use.dataset)} for use in outputs)]
        entries = [{**draw(st.sampled_from(targets)), "inputs": draw(_job_sources)}] if draw(st.booleans()) else []
        sides = {"upstream": draw(_dependencies), "downstream": draw(_dependencies)} if draw(st.booleans()) else {}
        kind = draw(st.sampled_from(("COMPLETE", "START", "JOB")))
        of_run = {"kind": "JOB"} if kind == "JOB" else {"kind": "RUN", "type": kind, "run": run}
        of_run |= {"run_facets": {"jobDependencies": sides}} if sides and kind != "JOB" else {}
        facets = draw(_sometimes(st.sampled_from(_WINDOWS), {})) if kind != "JOB" else {}
        facets = {**facets, **({"lineage": {"entries": entries}} if entries else {})}
        events.append(stamped(Event(time=time, hash="", job=job, outputs=outputs, job_facets=facets, **of_run)))
    return events


_PARTITIONS = st.lists(
    st.sampled_from(
        ({"day": "1"}, {"day": "2"}, {"day": "1", "hour": "1"}, {"day": "1", "hour": "2"}, {"region": "eu"})
    ),
    min_size=1,
    max_size=2,
)


def _part(partitions, side):
    partitions = [{"identifier": str(dimensions), "dimensions": dimensions} for dimensions in partitions]
    return {"subset": {f"{side}Condition": {"type": "partition", "partitions": partitions}}}


def _parts_of(side):
    listed = st.builds(_part, _PARTITIONS, st.just(side))
    return st.one_of(listed, listed, listed, st.just({}))


@st.composite
def runs_of_parts(draw):
    """Draw runs with reads and writes of datasets, with or without the partitions."""
    events = []
    for time in draw(st.lists(st.sampled_from(TIMES), min_size=2, max_size=4)):
        run = draw(_any_run)
        sides = {
            f"{side}s": tuple(
                DatasetUse(dataset, draw(_sometimes(st.just(a_symlink(DATASETS[0])), {}, 5)), draw(_parts_of(side)))
                for dataset in draw(st.lists(st.sampled_from(DATASETS[:2]), max_size=2, unique=True))
            )
            for side in ("input", "output")
        }
        job, kind = JOBS[RUNS.index(run) % len(JOBS)], draw(st.sampled_from(("COMPLETE", "COMPLETE", "START", "JOB")))
        of_run = {"kind": "JOB"} if kind == "JOB" else {"kind": "RUN", "type": kind, "run": run}
        events.append(stamped(Event(time=time, hash="", job=job, **of_run, **sides)))
    return events


def streams_of_parts(max_size=4):
    """Draw statements, many of `runs_of_parts`, each once, by time and hash."""
    pieces = st.one_of(runs_of_parts(), runs_of_parts(), st.builds(list, st.tuples(run_events())))
    return st.lists(pieces, min_size=1, max_size=max_size).map(_in_order)


@st.composite
def declared_datasets(draw):
    """Draw DatasetEvents with a dataset's source datasets, columns or jobs, beside runs with these datasets."""
    events = []
    for time in draw(st.lists(st.sampled_from(TIMES), min_size=1, max_size=4)):
        dataset = draw(st.sampled_from(DATASETS))
        if draw(st.integers(1, 4)) == 4:
            run = draw(_any_run)
            given = {"type": "COMPLETE", "run": run, "job": JOBS[RUNS.index(run) % len(JOBS)]}
            side = draw(_sides)
            events.append(stamped(Event(kind="RUN", time=time, hash="", **{side: (DatasetUse(dataset),)}, **given)))
            continue
        inputs = draw(st.lists(_declared_inputs, max_size=2))
        whole, of_column = draw(st.sampled_from(((inputs, []), (inputs[:1], inputs[1:]))))
        lineage = {"inputs": whole, "fields": {"co2": {"inputs": of_column}} if of_column else {}}
        older = {
            "fields": {"co2": {"inputFields": [{**source, "field": "co2"} for source in inputs if "name" in source]}}
        }
        facets = draw(
            st.sampled_from(
                ({"lineage": lineage},) * 4
                + ({"columnLineage": older}, {"lineage": _DELETED}, {"lineage": _DELETED, "columnLineage": older})
                + ({"schema": _SCHEMAS[0]}, {"lineage": lineage, **a_symlink(draw(st.sampled_from(DATASETS)))})
            )
        )
        events.append(stamped(Event(kind="DATASET", time=time, hash="", dataset=DatasetUse(dataset, facets))))
    return events


def declared_streams(max_size=3):
    """Draw statements, many of `declared_datasets`, each once, by time and hash."""
    pieces = st.one_of(
        declared_datasets(), declared_datasets(), explicit_runs(), deletions.map(lambda deletion: [deletion])
    )
    return st.lists(pieces, min_size=1, max_size=max_size).map(_in_order)


def _named(dataset):
    return {"namespace": dataset.namespace, "name": dataset.name}


@st.composite
def applications(draw):
    """Draw runs of an application: they drop, create and use a dataset or two."""
    parent = ParentRun(RUNS[-1], JOBS[-1])
    datasets = draw(st.lists(st.sampled_from(DATASETS), min_size=1, max_size=2, unique=True))
    steps = draw(st.lists(st.tuples(_any_run, _sides, _changes), min_size=2, max_size=5))
    events = []
    for time, (run, side, facets) in zip(TIMES, steps, strict=False):
        uses = tuple(DatasetUse(dataset, facets) for dataset in datasets)
        job = JOBS[RUNS.index(run) % len(JOBS)]
        event = Event(kind="RUN", time=time, hash="", type="COMPLETE", run=run, job=job, parent=parent, **{side: uses})
        events.append(stamped(event))
    return events


@st.composite
def families(draw):
    """Draw runs with parents of different jobs, in chains and circles; some events name a different parent, or none."""
    events = []
    sides = st.lists(st.builds(DatasetUse, st.sampled_from(DATASETS[:3])), max_size=1).map(tuple)
    for time in draw(st.lists(st.sampled_from(TIMES), min_size=2, max_size=5)):
        number = draw(st.integers(0, len(RUNS) - 1))
        above = draw(st.sampled_from((None, *((number + step) % len(RUNS) for step in (1, 1, 2)))))
        parent = None if above is None else ParentRun(RUNS[above], JOBS[above % len(JOBS)])
        event = Event(kind="RUN", time=time, hash="", run=RUNS[number], job=JOBS[number % len(JOBS)], parent=parent)
        kind = draw(st.sampled_from(("START", "COMPLETE", "COMPLETE")))
        events.append(stamped(replace(event, type=kind, inputs=draw(sides), outputs=draw(sides))))
    return events


@st.composite
def sources(draw):
    """Draw runs with outputs in several namespaces, and the outputs' sources, with a URL or without."""
    uses = st.builds(DatasetUse, st.sampled_from(DATASETS), _facets(dataSource=_SOURCES[:3]))
    events = []
    for time, run in zip(draw(st.permutations(TIMES)), draw(st.permutations(RUNS)), strict=False):
        event = Event(kind="RUN", time=time, hash="", type="COMPLETE", run=run, job=JOBS[RUNS.index(run) % len(JOBS)])
        events.append(stamped(replace(event, outputs=(draw(uses),))))
    return events


@st.composite
def deployments(draw):
    """Draw runs of a job, some without datasets, while its code changes and moves."""
    job, events = draw(st.sampled_from(JOBS)), []
    for time, run in zip(TIMES, draw(st.permutations(RUNS)), strict=False):
        outputs = tuple(map(DatasetUse, draw(st.sampled_from(((), (), DATASETS[:1])))))
        facets = draw(_facets(sourceCodeLocation=_CODES))
        event = Event(kind="RUN", time=time, hash="", type="COMPLETE", run=run, job=job, outputs=outputs)
        events.append(stamped(replace(event, job_facets=facets)))
    return events


# Every second time a branch; a facet of a wrong shape, or a deleted facet, is no branch.
_BRANCHES = ({"branch": "audit"}, {"branch": "wap.id=1"}, {"branch": "audit"}, {"branch": 1}, _DELETED)
_ROWS = {"headwater_rows": {"table": "t", "sequence": 3, "firstRow": 0, "nextRow": 2}}
_branches = _sometimes(st.sampled_from([{"headwater_branch": facet, **_ROWS} for facet in _BRANCHES]), {}, 2)


@st.composite
def writers_of_one_dataset(draw):
    """Draw a streaming run and batch runs with the same output, or a branch of it, under two names."""
    schemas = _facets(schema=(*_SCHEMAS, _DELETED))
    use = st.builds(DatasetUse, st.sampled_from(DATASETS[:2]), schemas, _branches)
    uses = st.one_of(st.just(()), use.map(lambda use: (use,)))
    events = []
    for time in draw(st.lists(st.sampled_from(TIMES), min_size=2, max_size=5)):
        run = draw(st.sampled_from((RUNS[0], RUNS[0], *RUNS[1:])))
        streams = run == RUNS[0]
        kind = draw(st.sampled_from(("START", "RUNNING", "COMPLETE", "FAIL") if streams else _ENDS))
        event = Event(kind="RUN", time=time, hash="", type=kind, run=run, job=JOBS[RUNS.index(run) % len(JOBS)])
        events.append(
            stamped(replace(event, outputs=draw(uses), job_facets=draw(st.sampled_from(_LASTING)) if streams else {}))
        )
    return events


@st.composite
def versions_of_a_stream(draw):
    """Draw a streaming run with the storage's versions of a dataset, under two names, and runs with them as inputs.

    Some of the runs write the dataset, too, and may name their own version as read, as Iceberg's MERGE does.
    """
    facets = _facets(version=_VERSIONS)
    events, uses = [], st.builds(DatasetUse, st.sampled_from(DATASETS[:2]), facets, _branches)
    for time in draw(st.lists(st.sampled_from(TIMES), min_size=3, max_size=6)):
        run = draw(st.sampled_from((RUNS[0], RUNS[0], *RUNS[1:3])))
        if run == RUNS[0]:
            side = {"outputs": (draw(uses),), "job_facets": draw(st.sampled_from(_LASTING))}
        else:
            side = {"inputs": (draw(uses),), "outputs": draw(_sometimes(st.tuples(uses), ()))}
        kind = draw(st.sampled_from(("RUNNING", "COMPLETE")))
        event = Event(kind="RUN", time=time, hash="", type=kind, run=run, job=JOBS[RUNS.index(run) % len(JOBS)], **side)
        events.append(stamped(event))
    return events


@st.composite
def runs_of_one_job(draw):
    """Draw two streaming and two batch runs of a job; each event has an input, an output, both or neither."""
    uses = st.lists(st.builds(DatasetUse, st.sampled_from(DATASETS[:2]), _facets(schema=_SCHEMAS)), max_size=1)
    job, events = draw(st.sampled_from(JOBS)), []
    for time in draw(st.lists(st.sampled_from(TIMES), min_size=2, max_size=6)):
        run = draw(st.sampled_from((*RUNS, RUNS[0])))
        kind = draw(st.sampled_from(_ENDS if run in RUNS[2:] else ("START", "RUNNING", "RUNNING", "COMPLETE")))
        sides = {"inputs": tuple(draw(uses)), "outputs": tuple(draw(uses))}
        event = Event(kind="RUN", time=time, hash="", type=kind, run=run, job=job, **sides)
        # A stream need not say so in each event.
        streaming = run in RUNS[:2] and draw(st.integers(1, 4)) > 1
        facets = draw(st.sampled_from((*_LASTING, *_WINDOWS[:3]))) if streaming else {}
        events.append(stamped(replace(event, job_facets=facets)))
    return events


@st.composite
def windows(draw):
    """Draw a service with a snapshot of new datasets in each event, and a batch run of the same job."""
    uses = st.lists(st.builds(DatasetUse, st.sampled_from(DATASETS[:3]), _facets(schema=_SCHEMAS)), max_size=2)
    sides = uses.map(lambda sampled: tuple({use.dataset: use for use in sampled}.values()))
    job, events = draw(st.sampled_from(JOBS)), []
    for time in draw(st.lists(st.sampled_from(TIMES), min_size=2, max_size=6)):
        run = draw(st.sampled_from((*RUNS[:1] * 4, RUNS[1])))
        kind = draw(st.sampled_from(("START", "RUNNING", "RUNNING", "COMPLETE") if run == RUNS[0] else _ENDS))
        event = Event(kind="RUN", time=time, hash="", type=kind, run=run, job=job)
        facets = draw(st.sampled_from((*_WINDOWS[:1] * 3, *_WINDOWS, *_LASTING[:1]))) if run == RUNS[0] else {}
        events.append(stamped(replace(event, inputs=draw(sides), outputs=draw(sides), job_facets=facets)))
    return events


def streaming_runs(max_size=3):
    """Draw statements, many of streaming runs beside batch runs of the same job, or of the same dataset."""
    pieces = st.one_of(
        runs_of_one_job(),
        windows(),
        writers_of_one_dataset(),
        versions_of_a_stream(),
        run_events().map(lambda event: [event]),
        st.one_of(job_events, dataset_events, deletions).map(lambda statement: [statement]),
    )
    return st.lists(pieces, min_size=1, max_size=max_size).map(_in_order)


@st.composite
def distant_times(draw):
    """Draw as many times as `TIMES` has, each a second, minutes, hours, days or weeks after the last."""
    gaps = draw(st.lists(st.sampled_from(_GAPS_S), min_size=len(TIMES) - 1, max_size=len(TIMES) - 1))
    return tuple(from_seconds(_BEGAN_S + offset) for offset in accumulate(gaps, initial=0))


def moved(statements, times):
    """Move the statements from `TIMES` to the given times."""
    place = dict(zip(TIMES, times, strict=True))
    return _in_order([[stamped(replace(statement, time=place[statement.time])) for statement in statements]])


def linked_streams(max_size=4):
    """Draw statements, many of `linked_runs`, each once, by time and hash."""
    pieces = st.one_of(linked_runs(), linked_runs(), explicit_runs(), deletions.map(lambda deletion: [deletion]))
    return st.lists(pieces, min_size=1, max_size=max_size).map(_in_order)


@st.composite
def checks(draw):
    """Draw events with results of tests: of inputs, outputs and the dataset of a DatasetEvent, and of the run."""
    events = []
    uses = st.builds(DatasetUse, st.sampled_from(DATASETS[:3]), _sometimes(_results, {}, 2), _results)
    sides = st.lists(uses, max_size=2, unique_by=lambda use: use.dataset).map(tuple)
    for time in draw(st.lists(st.sampled_from(TIMES), min_size=1, max_size=4)):
        if draw(st.integers(1, 4)) == 4:
            dataset = DatasetUse(draw(st.sampled_from(DATASETS)), draw(_results))
            events.append(stamped(Event(kind="DATASET", time=time, hash="", dataset=dataset)))
            continue
        run = draw(_any_run)
        given = {"type": draw(_any_type), "run": run, "job": JOBS[RUNS.index(run) % len(JOBS)]}
        given |= {"inputs": draw(sides), "outputs": draw(_sometimes(sides, ()))}
        facets = draw(_sometimes(_test_lists.map(lambda tests: {"test": {"tests": tests}}), {}, 2))
        events.append(stamped(Event(kind="RUN", time=time, hash="", run_facets=facets, **given)))
    return events


def checked_streams(max_size=3):
    """Draw statements, many with results of tests, under several names of a dataset, too."""
    pieces = st.one_of(
        checks(), checks(), checks(), st.one_of(dataset_events, deletions).map(lambda deletion: [deletion])
    )
    return st.lists(pieces, min_size=1, max_size=max_size).map(_in_order)


_LIFE = tuple({"lifecycleStateChange": {"lifecycleStateChange": change}} for change in ("DROP", "CREATE"))
_of_news = st.one_of(
    st.sampled_from([{"schema": schema} for schema in (*_SCHEMAS, _RETYPED, _DELETED)]),
    st.sampled_from([{}, {}, *_LIFE, {"ownership": _OWNERS[0]}]),
    st.sampled_from(DATASETS).map(a_symlink),
)


@st.composite
def news(draw):
    """Draw an event, or a deletion, at a time of `NEWS_TIMES`, with schemas, drops and failures."""
    uses = st.lists(
        st.builds(DatasetUse, st.sampled_from(DATASETS), _of_news), max_size=2, unique_by=lambda use: use.dataset
    ).map(tuple)
    run = draw(_any_run)
    event = draw(
        st.one_of(
            run_events(st.just(run), st.sampled_from(("COMPLETE", "FAIL", "FAIL", "START", "ABORT"))),
            st.builds(
                lambda dataset, facets: Event(kind="DATASET", time="", hash="", dataset=DatasetUse(dataset, facets)),
                st.sampled_from(DATASETS),
                _of_news,
            ),
            _sometimes(deletions, draw(job_events)),
        )
    )
    if isinstance(event, Event) and event.kind != "DATASET":
        event = replace(event, inputs=draw(uses), outputs=draw(uses))
    return stamped(replace(event, time=draw(st.sampled_from(NEWS_TIMES))))


def news_streams(max_size=8):
    """Draw statements with much news."""
    return st.lists(news(), min_size=1, max_size=max_size).map(lambda statements: _in_order([statements]))


def streams(max_size=8):
    """Draw statements, each once, by time and hash."""
    pieces = st.one_of(
        whole_runs(),
        whole_runs(),
        restarts(),
        applications(),
        families(),
        sources(),
        deployments(),
        explicit_runs(),
        writers_of_one_dataset(),
        versions_of_a_stream(),
        windows(),
        checks(),
        run_events().map(lambda event: [event]),
        st.one_of(job_events, dataset_events, deletions, taggings, ownerships, documentations, descriptions).map(
            lambda statement: [statement]
        ),
    )
    return st.lists(pieces, min_size=1, max_size=max_size).map(_in_order)


def _in_order(pieces):
    once = {statement.hash: statement for piece in pieces for statement in piece}
    return sorted(once.values(), key=lambda statement: (statement.time, statement.hash))


@st.composite
def arrivals(draw, statements):
    """Draw the statements as they may arrive: in any order, some more than once, in batches of any size."""
    again = draw(st.lists(st.sampled_from(statements), max_size=4))
    order = draw(st.permutations([*statements, *again]))
    cuts = sorted(draw(st.sets(st.integers(1, len(order) - 1), max_size=4))) if len(order) > 1 else []
    return [order[low:high] for low, high in zip([0, *cuts], [*cuts, len(order)], strict=True)]
