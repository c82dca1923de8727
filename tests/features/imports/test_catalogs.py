"""Lineage of DataHub and Spline as OpenLineage events: datasets, jobs, columns and times; faults by place."""

import json

import pytest

from headwater.events.naming import NamingRules
from headwater.events.parse import parse_event
from headwater.features.imports.catalogs import datahub
from headwater.features.imports.catalogs.spline import Plans
from headwater.features.imports.event_sources import converted, file_source
from headwater_model.ids import DatasetId

MS = 1_763_640_000_000  # 2025-11-20T12:00:00Z
NOON = "2025-11-20T12:00:00.000Z"
RAW = "urn:li:dataset:(urn:li:dataPlatform:hive,flights.raw,PROD)"
CHECKED = "urn:li:dataset:(urn:li:dataPlatform:s3,lake/flights/checked,PROD)"
FIELD = "urn:li:schemaField:({},{})"
JOB = "urn:li:dataJob:(urn:li:dataFlow:(airflow,nightly,PROD),check)"
FINE = {
    "upstreamType": "FIELD_SET",
    "upstreams": [f"urn:li:schemaField:({RAW},delay)", f"urn:li:schemaField:({RAW},carrier)", RAW],
    "downstreamType": "FIELD",
    "downstreams": [f"urn:li:schemaField:({CHECKED},late)"],
    "transformOperation": "TRANSFORM",
}


def a_proposal(urn, name, aspect, **more):
    return {
        "entityType": urn.split(":")[2],
        "entityUrn": urn,
        "changeType": "UPSERT",
        "aspectName": name,
        "aspect": {"json": aspect},
        "systemMetadata": {"lastObserved": MS},
        **more,
    }


def _in_path(urn):
    """A URN as a key of a JSON pointer."""
    return urn.replace("~", "~0").replace("/", "~1")


def upstream(urn, time=0):
    return {"dataset": urn, "type": "TRANSFORMED", "auditStamp": {"time": time, "actor": "urn:li:corpuser:ann"}}


def parsed(event):
    """Check the event as the service does."""
    return parse_event(event, NamingRules(), now="2026-01-01T00:00:00.000000Z")


def test_upstreams_of_a_dataset_are_a_dataset_event_with_their_columns():
    aspect = {"upstreams": [upstream(RAW, MS)], "fineGrainedLineages": [FINE]}
    [event] = datahub.Proposals().events_of(a_proposal(CHECKED, "upstreamLineage", aspect, systemMetadata={}))

    assert event["eventTime"] == NOON
    assert (event["dataset"]["namespace"], event["dataset"]["name"]) == ("s3://lake", "flights/checked")
    lineage = event["dataset"]["facets"]["lineage"]
    source = {"namespace": "hive", "name": "flights.raw", "type": "DATASET"}
    assert lineage["inputs"] == [source]
    assert lineage["fields"] == {"late": {"inputs": [{**source, "field": "delay"}, {**source, "field": "carrier"}]}}
    assert parsed(event).kind == "DATASET"


@pytest.mark.parametrize(
    "ends",
    [
        {"inputDatasets": [RAW], "outputDatasets": [CHECKED]},
        {
            "inputDatasets": [],
            "inputDatasetEdges": [{"destinationUrn": RAW}],
            "outputDatasets": [CHECKED],
            "outputDatasetEdges": [{"destinationUrn": CHECKED}],
        },
    ],
    ids=["urns", "edges"],
)
def test_inputs_and_outputs_of_a_data_job_are_a_job_event(ends):
    aspect = {**ends, "fineGrainedLineages": [FINE]}
    proposal = a_proposal(JOB, "dataJobInputOutput", aspect)
    text = {**proposal, "aspect": {"value": json.dumps(aspect), "contentType": "application/json"}}

    [event] = datahub.Proposals().events_of(proposal)
    assert [event] == list(datahub.Proposals().events_of(text))
    assert (event["job"]["namespace"], event["job"]["name"], event["eventTime"]) == ("airflow", "nightly.check", NOON)
    read = parsed(event)
    assert [use.dataset for use in read.inputs] == [DatasetId("hive", "flights.raw")]
    assert [use.dataset for use in read.outputs] == [DatasetId("s3://lake", "flights/checked")]
    fields = event["outputs"][0]["facets"]["columnLineage"]["fields"]
    assert [source["field"] for source in fields["late"]["inputFields"]] == ["delay", "carrier"]


def a_patch(urn, name, *operations):
    return a_proposal(urn, name, [dict(zip(("op", "path", "value"), each, strict=True)) for each in operations])


def events_of(*proposals):
    read = datahub.Proposals()
    return [event for proposal in proposals for event in read.events_of(proposal)]


def made_of(event):
    """The sources of a DatasetEvent, and of its columns."""
    lineage = event["dataset"]["facets"]["lineage"]
    fields = {
        name: [source["field"] for source in column["inputs"]] for name, column in lineage.get("fields", {}).items()
    }
    return [source["name"] for source in lineage["inputs"]], fields


def test_a_patch_adds_to_the_lineage_before_it_and_takes_from_it():
    other = RAW.replace("raw", "codes")
    fine = f"/fineGrainedLineages/TRANSFORM/{_in_path(FIELD.format(CHECKED, 'late'))}"
    whole = a_proposal(CHECKED, "upstreamLineage", {"upstreams": [upstream(RAW)], "fineGrainedLineages": [FINE]})
    adds = a_patch(
        CHECKED,
        "upstreamLineage",
        ("add", f"/upstreams/{other}", upstream(other)),
        ("add", f"{fine}/NONE/{FIELD.format(other, 'code')}", {"confidenceScore": 1.0}),
        ("add", f"{fine}/urn:li:query:1/{FIELD.format(other, 'name')}", {"confidenceScore": 1.0}),
    )
    adds["changeType"] = "PATCH"
    takes = {**a_patch(CHECKED, "upstreamLineage", ("remove", f"/upstreams/{RAW}", {})), "changeType": "PATCH"}
    takes["aspect"] = {"json": {"patch": takes["aspect"]["json"], "arrayPrimaryKeys": {"upstreams": ["dataset"]}}}

    events = events_of(whole, adds, takes)

    columns = ["delay", "carrier", "code", "name"]
    assert [made_of(event) for event in events] == [
        (["flights.raw"], {"late": columns[:2]}),
        (["flights.raw", "flights.codes"], {"late": columns}),
        (["flights.codes"], {"late": columns}),
    ]
    # The last counts, whatever time the proposals have.
    assert len({event["eventTime"] for event in events}) == 3
    assert [event["eventTime"] for event in events] == sorted(event["eventTime"] for event in events)
    assert made_of(events_of(adds)[0]) == (["flights.codes"], {"late": columns[2:]})


def test_names_are_decoded_and_types_in_field_paths_are_left_out():
    names = ["[version=2.0].[type=struct].[type=string].delay", "[version=2.0].[key=True].[type=a].b.[type=long].c"]
    fine = {**FINE, "upstreams": [FIELD.format(RAW, name) for name in (*names, "carrier%2C %28code%29", "50%25")]}
    urn = RAW.replace("flights.raw", "flights%2C all")
    [event] = events_of(
        a_proposal(CHECKED, "upstreamLineage", {"upstreams": [upstream(urn)], "fineGrainedLineages": [fine]})
    )
    assert made_of(event) == (["flights, all"], {"late": ["delay", "b.c", "carrier, (code)", "50%25"]})
    [event] = events_of(a_proposal(JOB.replace("check", "check%2C all"), "dataJobInputOutput", {}))
    assert event["job"]["name"] == "nightly.check, all"


def test_a_snapshot_has_the_lineage_of_its_aspects():
    aspects = [
        {"com.linkedin.pegasus2avro.common.Status": {"removed": False}},
        {"com.linkedin.pegasus2avro.dataset.UpstreamLineage": {"upstreams": [upstream(RAW, MS)]}},
    ]
    kind = "com.linkedin.pegasus2avro.metadata.snapshot.DatasetSnapshot"
    [event] = events_of({"proposedSnapshot": {kind: {"urn": CHECKED, "aspects": aspects}}})
    assert (made_of(event), event["eventTime"]) == ((["flights.raw"], {}), NOON)


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"entityUrn": 1, "aspectName": "upstreamLineage", "aspect": {"json": {"upstreams": []}}},
        a_proposal(CHECKED, "upstreamLineage", {}),
        a_proposal(CHECKED, "upstreamLineage", {"upstreams": [{"dataset": "flights"}]}),
        a_proposal(CHECKED, "upstreamLineage", {"upstreams": [1]}),
        {**a_proposal(CHECKED, "upstreamLineage", {}), "aspect": {"value": "{", "contentType": "application/json"}},
        a_proposal(RAW, "dataJobInputOutput", {"inputDatasets": [], "outputDatasets": []}),
        a_proposal(CHECKED, "upstreamLineage", {"upstreams": []}, changeType="PATCH"),
        a_proposal(CHECKED, "upstreamLineage", [{"op": "add", "path": "/fineGrainedLineages/x"}], changeType="PATCH"),
        a_proposal(CHECKED, "upstreamLineage", [{"op": "add"}], changeType="PATCH"),
    ],
)
def test_a_proposal_that_is_not_as_datahub_writes_it_is_a_fault(document):
    with pytest.raises(ValueError, match="must"):
        list(datahub.Proposals().events_of(document))


PLAN = {
    "id": "b6f3c0de-0000-5000-8000-000000000001",
    "name": "nightly check",
    "operations": {
        "write": {"outputSource": "s3a://lake/flights/checked", "append": False, "id": "op-0", "childIds": ["op-1"]},
        "reads": [
            {"id": "op-3", "inputSources": ["file:/data/flights.csv"], "output": ["attr-0", "attr-1"]},
            {"id": "op-4", "inputSources": ["jdbc:postgresql://db:5432/air:public.carriers"], "output": ["attr-2"]},
        ],
        "other": [
            {"id": "op-2", "name": "Join", "childIds": ["op-3", "op-4"], "output": ["attr-0", "attr-1", "attr-2"]},
            {"id": "op-1", "name": "Project", "childIds": ["op-2"], "output": ["attr-3", "attr-2", "attr-4"]},
        ],
    },
    "attributes": [
        {"id": "attr-0", "name": "delay"},
        {"id": "attr-1", "name": "distance"},
        {"id": "attr-2", "name": "carrier"},
        {"id": "attr-3", "name": "speed", "childRefs": [{"__exprId": "expr-0"}]},
        {"id": "attr-4", "name": "day", "childRefs": [{"__exprId": "expr-2"}]},
    ],
    "expressions": {
        "functions": [
            {"id": "expr-0", "childRefs": [{"__exprId": "expr-1"}]},
            {"id": "expr-1", "childRefs": [{"__attrId": "attr-0"}, {"__attrId": "attr-1"}, {"__exprId": "expr-2"}]},
        ],
        "constants": [{"id": "expr-2", "value": 1}],
    },
}
EXECUTION = {"planId": PLAN["id"], "timestamp": MS, "durationNs": 1}


def test_a_plan_is_a_job_with_its_columns_before_all_that_has_a_time():
    [event] = Plans().events_of(PLAN)

    assert (event["job"]["namespace"], event["job"]["name"]) == ("spline", "nightly_check.flights_checked")
    assert event["eventTime"] == "1970-01-01T00:00:00.000Z"
    read = parsed(event)
    flights, carriers = DatasetId("file", "/data/flights.csv"), DatasetId("postgres://db:5432", "air.public.carriers")
    assert [use.dataset for use in read.inputs] == [flights, carriers]
    assert [use.dataset for use in read.outputs] == [DatasetId("s3://lake", "flights/checked")]
    fields = event["outputs"][0]["facets"]["columnLineage"]["fields"]
    sources = {
        name: {(source["name"], source["field"]) for source in field["inputFields"]} for name, field in fields.items()
    }
    assert sources == {
        "speed": {(flights.name, "delay"), (flights.name, "distance")},
        "carrier": {(carriers.name, "carrier")},
        "day": set(),
    }


def test_an_execution_is_a_run_of_its_plans_job_and_the_same_one_each_time():
    plans = Plans()
    plans.add(PLAN)
    [event] = plans.events_of(EXECUTION)
    [failed] = plans.events_of({**EXECUTION, "error": "no space"})

    assert (event["eventType"], event["eventTime"], failed["eventType"]) == ("COMPLETE", NOON, "FAIL")
    assert parsed(event).run == parsed(failed).run
    assert parsed(event).job == parsed(next(plans.events_of(PLAN))).job
    assert list(Plans().events_of({"executionPlan": PLAN, "executionEvent": EXECUTION}))[1] == event


@pytest.mark.parametrize(
    "document",
    [{}, {"operations": {}}, {**PLAN, "operations": {"write": {}}}, EXECUTION, {"planId": "x", "timestamp": "now"}],
)
def test_what_is_not_as_spline_writes_it_is_a_fault(document):
    with pytest.raises(ValueError, match="must"):
        list(Plans().events_of(document))


def test_a_document_with_a_fault_harms_no_other_and_an_import_goes_on_between_two_events(tmp_path):
    file = tmp_path / "datahub.json"
    good = a_proposal(CHECKED, "upstreamLineage", {"upstreams": [upstream(RAW)]})
    file.write_text(json.dumps([good, {}, a_proposal(RAW, "ownership", {}), {**good, "entityUrn": RAW}]))
    source = converted(file_source(file), lambda: datahub.Proposals().events_of)

    events = list(source.events(0))
    assert [(event.place.rpartition("/")[2], bool(event.fault)) for event in events] == [
        ("datahub.json:1[1]", False),
        ("datahub.json:1[2]", True),
        ("datahub.json:1[4]", False),
    ]
    assert list(source.events(2)) == events[2:]
