"""Facets that mention columns, at the door: every form of them that is sent, and every rule that they may break.

The lineage facets are OpenLineage's own seven cases (a table, columns, several outputs, a whole-dataset operation, jobs
as sources, a job's own entry, a dataset of its own), in the story of the flights.
"""

import pytest
from hypothesis import given

from headwater.events.event import is_deleted
from headwater.events.lineage_facets import columns_of_entries, columns_of_entry, columns_of_facet
from headwater.events.naming import NamingRules
from headwater.events.parse import parse_event
from headwater_model.columns import ColumnSource, Transformation, columns_from_json, columns_to_json
from headwater_model.errors import Invalid
from headwater_model.ids import DatasetId
from headwater_model.operation_set import OperationSet
from headwater_model.operations import parse_operations
from tests.builders_events import STORE, a_dataset, a_dataset_event, a_facet, a_job_event, a_run_event
from tests.unit.events.spoiling import JSON, SPOILED, replaced

AS_SENT = NamingRules(trim_partitions=False, temporary=())
LINEAGE = ("Lineage", "1-0-0")
IDENTITY = {"type": "DIRECT", "subtype": "IDENTITY", "description": "", "masking": False}
FILTER = {"type": "INDIRECT", "subtype": "FILTER", "description": "", "masking": False}


def parse(body, rules=AS_SENT):
    return parse_event(body, rules, now=None)


def faults(body):
    with pytest.raises(Invalid) as caught:
        parse(body)
    return str(caught.value).split("; ")


def of(name, field=None, **more):
    """A dataset as facets name it, or a column of it."""
    return {"namespace": STORE, "name": name, **({} if field is None else {"field": field}), **more}


def a_source(name, field=None, **more):
    return of(name, field, type="DATASET", **more)


def a_column_lineage(fields, version="1-2-0", **more):
    return a_facet("ColumnLineageDataset", version, fields=fields, **more)


def writing(facet, name="columnLineage", output="checked"):
    return a_run_event(outputs=[a_dataset(output, facets={name: facet})])


def operations(*forms):
    return a_run_event(run_facets={"headwater_operations": a_facet("HeadwaterOperations", operations=list(forms))})


READ = {"type": "READ", "name": "read", "source": of("raw"), "outputs": ["tailnum", {"name": "year", "type": "int"}]}
WRITE = {
    "type": "WRITE",
    "name": "write",
    "inputs": [{"origin": "read", "name": "year"}],
    "destination": of("checked"),
}

COLUMN_LINEAGES = {
    "1-0-0": a_column_lineage({"tailnum": {"inputFields": [of("raw", "tailnum")]}}, "1-0-0"),
    "1-0-1": a_column_lineage(
        {
            "tailnum": {
                "inputFields": [of("raw", "tailnum")],
                "transformationDescription": "as it is",
                "transformationType": "IDENTITY",
            }
        },
        "1-0-1",
    ),
    "1-1-0": a_column_lineage(
        {"tailnum": {"inputFields": [of("raw", "tailnum", transformations=[IDENTITY, FILTER])]}}, "1-1-0"
    ),
    "1-2-0": a_column_lineage(
        {"tailnum": {"inputFields": [of("raw", "tailnum", transformations=[IDENTITY])]}},
        dataset=[of("raw", "distance", transformations=[FILTER])],
    ),
    "no column": a_column_lineage({}),
    "columns of nothing": a_column_lineage(
        {"loaded_at": {}, "batch": {"inputFields": None}, "day": {"inputFields": []}}
    ),
    "nothing": {},
    "nulls": {"fields": {"a": {"inputFields": [of("raw", "a", transformations=None)]}}, "dataset": None},
    "a transformation of a type alone": a_column_lineage(
        {"a": {"inputFields": [of("raw", "a", transformations=[{"type": "ODD", "subtype": None, "masking": None}])]}}
    ),
    "deleted": {"_deleted": True, "fields": 7},
}


@pytest.mark.parametrize("facet", COLUMN_LINEAGES.values(), ids=COLUMN_LINEAGES)
def test_every_version_of_column_lineage_is_kept_as_sent(facet):
    (output,) = parse(writing(facet)).outputs

    assert output.facets == {"columnLineage": facet}


LINEAGES = {
    "a table of a table": [a_source("checked", inputs=[a_source("raw")])],
    "columns": [a_source("checked", fields={"tailnum": {"inputs": [a_source("raw", "tailnum")]}}, inputs=[])],
    "several outputs": [
        a_source("checked", inputs=[a_source("raw", transformations=[FILTER])]),
        a_source("rejected", inputs=[]),
    ],
    "a whole-dataset operation": [
        a_source(
            "checked",
            inputs=[a_source("raw", "distance", transformations=[FILTER])],
            fields={"tailnum": {"inputs": [a_source("raw")]}},
        )
    ],
    "jobs as sources": [
        a_source("raw", inputs=[{"type": "JOB"}, {"type": "JOB", "namespace": "emissions", "name": "generate"}])
    ],
    "a job's own entry": [
        {"type": "JOB", "inputs": [a_source("raw")]},
        {"type": "JOB", "namespace": "n", "name": "j", "runId": "r", "inputs": [{"type": "JOB", "runId": "r"}]},
    ],
    "what the specification may have one day": [{"type": "MODEL", "inputs": None, "fields": None}],
    "no entry": [],
}


@pytest.mark.parametrize("entries", LINEAGES.values(), ids=LINEAGES)
@pytest.mark.parametrize("event", [a_run_event, a_job_event], ids=["run", "job"])
def test_a_jobs_lineage_is_kept_as_sent(entries, event):
    facets = {"lineage": a_facet(*LINEAGE, entries=entries)}

    assert parse(event(job_facets=facets)).job_facets == facets


def test_a_source_has_each_part_of_its_transformations():
    hashed = {"type": "DIRECT", "subtype": "TRANSFORMATION", "description": "sha2", "masking": True}
    source = a_source("raw", "a", transformations=[hashed])

    sources = {ColumnSource(DatasetId(STORE, "raw"), ("a",)): {Transformation(*hashed.values())}}
    assert columns_of_facet({"fields": {"a": {"inputFields": [source]}}}).fields == {("a",): sources}
    assert columns_of_entry({"fields": {"a": {"inputs": [source]}}}).fields == {("a",): sources}


def taking(name, **facet):
    """An event whose output has this facet."""
    return writing(facet, name)


SOURCES = {
    "a column": taking("columnLineage", fields={"id": {"inputFields": [of("stage", "id")]}}),
    "the whole dataset": taking("columnLineage", fields={}, dataset=[of("stage", "id")]),
    "a column of a dataset's lineage": taking("lineage", fields={"id": {"inputs": [a_source("stage", "id")]}}),
    "a dataset's lineage": taking("lineage", inputs=[a_source("stage"), {"type": "JOB"}]),
    "an operation": operations({**READ, "source": of("stage")}, WRITE),
    "an entry": a_job_event(
        job_facets={"lineage": a_facet(*LINEAGE, entries=[a_source("c", inputs=[a_source("stage")])])}
    ),
}


@pytest.mark.parametrize("sent", SOURCES.values(), ids=SOURCES)
@pytest.mark.parametrize("listed", [[], ["raw"], ["raw", "stage"]], ids=["alone", "beside another", "listed"])
def test_what_an_event_names_as_a_source_is_an_input(sent, listed):
    event = parse({**sent, "inputs": [of(name) for name in listed]})

    assert [use.dataset.name for use in event.inputs] == sorted({*listed, "stage"})


def test_a_source_in_columns_has_the_name_that_the_rules_give_and_may_be_temporary():
    columns = {"inputFields": [of("stage/day=1", "id"), of("stage/day=2", "id"), of("_temporary/0", "id")]}
    event = parse({**writing(a_column_lineage({"id": columns})), "inputs": []}, NamingRules())

    assert [(use.dataset.name, use.temporary) for use in event.inputs] == [("_temporary/0", True), ("stage", False)]


def test_a_job_event_has_the_sources_of_its_columns_as_inputs_and_a_withdrawn_facet_names_none():
    output = a_dataset(
        "checked", facets={"columnLineage": a_column_lineage({"id": {"inputFields": [of("stage", "id")]}})}
    )
    withdrawn = {"_deleted": True, "fields": {"id": {"inputFields": [of("stage", "id")]}}}

    assert [use.dataset.name for use in parse(a_job_event(inputs=[], outputs=[output])).inputs] == ["stage"]
    assert parse({**writing(withdrawn), "inputs": []}).inputs == ()


def column(**changed):
    return writing(a_column_lineage({"a": {"inputFields": [of("raw", "a") | changed]}}))


def entry(**changed):
    return a_run_event(job_facets={"lineage": {"entries": [a_source("raw", inputs=[]) | changed]}})


def roots(value):
    return a_run_event(run_facets={"headwater_records": {"rootIds": value}})


COLUMN = "outputs[0].facets.columnLineage.fields"
ENTRY = "job.facets.lineage.entries[0]"
ROOTS = "run.facets.headwater_records.rootIds"
NAMELESS = "must have a namespace and a name, for it is a DATASET"
FAULTS = [
    (writing({"fields": []}), [f"{COLUMN}: must be a JSON object, got []"]),
    (writing({"fields": {"a": {"inputFields": {}}}}), [f"{COLUMN}.a.inputFields: must be a list, got {{}}"]),
    (
        writing({"fields": {"a": {"inputFields": [{}]}}}),
        [f"{COLUMN}.a.inputFields[0].{name}: is required" for name in ("namespace", "name", "field")],
    ),
    (column(field=None), [f"{COLUMN}.a.inputFields[0].field: is required"]),
    (column(transformations=[{}]), [f"{COLUMN}.a.inputFields[0].transformations[0].type: is required"]),
    (
        column(transformations=[{"type": "DIRECT", "masking": "no"}]),
        [f"{COLUMN}.a.inputFields[0].transformations[0].masking: must be true or false, got 'no'"],
    ),
    (
        writing({"dataset": [{"namespace": STORE, "name": "raw"}]}),
        ["outputs[0].facets.columnLineage.dataset[0].field: is required"],
    ),
    (
        entry(name=None),
        [f"{ENTRY}: {NAMELESS}, got {{'inputs': [], 'name': None, 'namespace': 's3://flights', 'type': 'DATASET'}}"],
    ),
    (entry(inputs=[{"type": "DATASET"}]), [f"{ENTRY}.inputs[0]: {NAMELESS}, got {{'type': 'DATASET'}}"]),
    (entry(fields={"a": {"inputs": [7]}}), [f"{ENTRY}.fields.a.inputs[0]: must be a JSON object, got 7"]),
    (
        a_dataset_event(a_dataset("raw", facets={"lineage": {"inputs": [a_source("x", field="")]}})),
        ["dataset.facets.lineage.inputs[0].field: must not be blank, got ''"],
    ),
    (roots(["a", "", 7]), [f"{ROOTS}[1]: must not be empty, got ''", f"{ROOTS}[2]: must be a string, got 7"]),
]


@pytest.mark.parametrize(("body", "expected"), FAULTS, ids=[expected[0][:70] for _, expected in FAULTS])
def test_a_facet_that_breaks_a_rule_refuses_its_event(body, expected):
    assert faults(body) == expected


def test_the_roots_of_a_run_are_bounded():
    parse(roots([f"r{number}" for number in range(10_000)]))

    (reported,) = faults(roots([f"r{number}" for number in range(10_001)]))
    assert reported.startswith(f"{ROOTS}: must have at most 10000 items")


OPERATIONS = "run.facets.headwater_operations.operations"


def test_operations_are_refused_whole_with_every_fault():
    assert faults(operations({"type": "READ", "name": "read"}, {"type": "MERGE", "name": 7})) == [
        f"{OPERATIONS}[0].source: is required",
        f"{OPERATIONS}[1].type: must be READ, TRANSFORM or WRITE, got 'MERGE'",
    ]
    unsound = {**WRITE, "inputs": [{"origin": "parse", "name": "year"}]}
    assert faults(operations(unsound)) == [
        f"{OPERATIONS}: must hold at least one operation of type READ",
        f"{OPERATIONS}[0].inputs[0].origin: must be the name of an operation, got 'parse'",
    ]


def partition(day, fields, dataset=()):
    return a_dataset(f"checked/{day}", facets={"columnLineage": a_column_lineage(fields, dataset=list(dataset))})


def test_outputs_that_are_one_dataset_report_its_columns_together():
    first_day = partition("2013-01-01", {"a": {"inputFields": [of("raw", "a")]}}, [of("raw", "c")])
    second_day = partition(
        "2013-01-02", {"a": {"inputFields": [of("raw", "b"), of("raw", "a")]}, "d": {"inputFields": []}}
    )

    (first,) = parse(a_run_event(outputs=[first_day, second_day]), NamingRules()).outputs
    (again,) = parse(a_run_event(outputs=[second_day, first_day, second_day]), NamingRules()).outputs

    fields = {"a": {"inputFields": [of("raw", "a"), of("raw", "b")]}, "d": {"inputFields": []}}
    assert first.facets == {"columnLineage": a_column_lineage(fields, dataset=[of("raw", "c")])}
    assert again == first


def test_of_outputs_that_are_one_dataset_the_one_that_deletes_its_columns_loses():
    reported = partition("2013-01-01", {"a": {"inputFields": [of("raw", "a")]}})
    deleted = a_dataset("checked/2013-01-02", facets={"columnLineage": {"_deleted": True}})

    for outputs in ([reported, deleted], [deleted, reported]):
        (output,) = parse(a_run_event(outputs=outputs), NamingRules()).outputs
        assert output.facets == reported["facets"]


def columns_of_event(event):
    """The columns that an event mentions."""
    readers = {"columnLineage": columns_of_facet, "lineage": columns_of_entry}
    uses = [*event.inputs, *event.outputs, *([event.dataset] if event.dataset else [])]
    for name, read in readers.items():
        yield from (read(use.facets[name]) for use in uses if name in use.facets and not is_deleted(use.facets[name]))
    if "lineage" in event.job_facets and not is_deleted(event.job_facets["lineage"]):
        yield from columns_of_entries(event.job_facets["lineage"]).values()
    if "headwater_operations" in event.run_facets and not is_deleted(event.run_facets["headwater_operations"]):
        operations = parse_operations(event.run_facets["headwater_operations"].get("operations"))
        yield from OperationSet(operations).columns().values()


@given(SPOILED, JSON)
def test_whatever_ingest_takes_has_column_lineage_that_can_be_stored(spoiled, new):
    whole, place = spoiled
    try:
        event = parse(replaced(whole, place, new), NamingRules())
    except Invalid:
        return
    for columns in columns_of_event(event):
        assert columns_from_json(columns_to_json(columns)) == columns
