"""The parsing of OpenLineage events."""

import hashlib
import unicodedata

import pytest

from headwater.events.api_changes import parse_api_change, parse_change, render_change
from headwater.events.event import DatasetUse, Deletion, Event, ParentRun
from headwater.events.naming import NamingRules
from headwater.events.parse import parse_event
from headwater_model.errors import Invalid
from headwater_model.ids import DatasetId, JobId, name_uuid, normalize_run_id
from tests.builders_events import (
    CHECK,
    CORE,
    LANDING,
    NAMESPACE,
    READ_FLIGHTS,
    RUN,
    STORE,
    a_dataset,
    a_dataset_event,
    a_facet,
    a_job_event,
    a_parent,
    a_run_event,
    a_schema,
    without,
)

NOON = "2025-11-20T12:00:00.000000Z"
AS_SENT = NamingRules(trim_partitions=False, temporary=())
JOB = JobId(NAMESPACE, READ_FLIGHTS)
RAW = DatasetId(STORE, "raw")


def parse(body, rules=AS_SENT, now=None):
    return parse_event(body, rules, now=now)


def test_a_run_event_reports_a_run_its_job_and_its_datasets():
    schema, rows, plan = a_schema("tailnum"), a_facet("OutputStatistics", rowCount=842), a_facet("Plan", plan="...")
    sql = a_facet("SQLJob", query="SELECT 1")
    output = a_dataset("raw", facets={"schema": schema}, outputFacets={"outputStatistics": rows})

    event = parse(a_run_event(run_facets={"plan": plan}, job_facets={"sql": sql}, outputs=[output]))

    assert event == Event(
        kind="RUN",
        time=NOON,
        hash=event.hash,
        type="COMPLETE",
        run=RUN,
        job=JOB,
        inputs=(DatasetUse(DatasetId(STORE, LANDING)),),
        outputs=(DatasetUse(RAW, {"schema": schema}, {"outputStatistics": rows}),),
        run_facets={"plan": plan},
        job_facets={"sql": sql},
    )


@pytest.mark.parametrize("kind", ["MAINTENANCE", "maintenance"])
def test_an_event_of_maintenance_reads_and_writes_nothing_by_whatever_it_names_datasets(kind):
    job_type = a_facet("JobType", processingType="BATCH", integration="SPARK", jobType=kind)
    source = {"namespace": STORE, "name": "raw", "type": "DATASET", "field": "tailnum"}
    columns = a_facet("ColumnLineage", fields={"tailnum": {"inputFields": [source]}})
    entry = {"namespace": STORE, "name": "raw", "type": "DATASET", "inputs": [source]}
    read = {"name": "read", "type": "READ", "source": {"namespace": STORE, "name": "raw"}, "outputs": ["tailnum"]}
    write = {"name": "write", "type": "WRITE", "destination": read["source"]}
    operations = [read, {**write, "inputs": [{"origin": "read", "name": "tailnum"}]}]

    event = parse(
        a_run_event(
            run_facets={"headwater_operations": a_facet("Operations", operations=operations)},
            job_facets={"jobType": job_type, "lineage": a_facet("Lineage", entries=[entry])},
            outputs=[a_dataset("raw", facets={"columnLineage": columns})],
        )
    )

    assert event == Event(
        kind="RUN", time=NOON, hash=event.hash, type="COMPLETE", run=RUN, job=JOB, job_facets={"jobType": job_type}
    )


def test_a_job_event_declares_what_a_job_reads_and_writes():
    event = parse(a_job_event())

    uses = {"inputs": (DatasetUse(DatasetId(STORE, LANDING)),), "outputs": (DatasetUse(RAW),)}
    assert event == Event(kind="JOB", time=NOON, hash=event.hash, job=JOB, **uses)


def test_a_dataset_event_declares_a_dataset():
    schema = a_schema("tailnum")
    event = parse(a_dataset_event(a_dataset("raw", fields=["tailnum"])))

    assert event == Event(kind="DATASET", time=NOON, hash=event.hash, dataset=DatasetUse(RAW, {"schema": schema}))


LENIENT = {
    "all three in one": ({**a_run_event(), "dataset": a_dataset("raw")}, "RUN"),
    "all three, the dataset broken": ({**a_run_event(), "dataset": {}}, "RUN"),
    "a job and a dataset": ({**a_job_event(), "dataset": a_dataset("raw")}, "JOB"),
    "a null run": (a_job_event(run=None), "JOB"),
    "a null job": ({**a_dataset_event(), "job": None, "run": None}, "DATASET"),
    "a dataset with inputs that break rules": ({**a_dataset_event(), "inputs": 7}, "DATASET"),
    "another kind's schema": (a_run_event(schemaURL=f"{CORE}/DatasetEvent"), "RUN"),
    "a schema that is no URL": (a_run_event(schemaURL=7), "RUN"),
}


@pytest.mark.parametrize(("body", "kind"), LENIENT.values(), ids=LENIENT)
def test_the_fields_of_an_event_decide_its_kind_and_not_the_schema(body, kind):
    assert parse(body).kind == kind


def test_what_is_null_is_as_good_as_not_given():
    nulls = {"eventType": None, "schemaURL": None, "inputs": None, "outputs": None}
    run, job = {"runId": RUN, "facets": None}, {"namespace": NAMESPACE, "name": CHECK, "facets": {"sql": None}}
    event = parse(a_run_event(**nulls, run=RUN) | {"run": run, "job": job})

    assert event == Event(kind="RUN", time=NOON, hash=event.hash, run=RUN, job=JobId(NAMESPACE, CHECK))


@pytest.mark.parametrize(
    ("sent", "kept"),
    [("complete", "COMPLETE"), ("Start", "START"), ("OTHER", "OTHER"), ("FAILED", "FAILED"), ("wat", "WAT")],
)
def test_the_type_is_kept_in_upper_case_known_or_not(sent, kept):
    assert parse(a_run_event(eventType=sent)).type == kept


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("2025-11-20T12:00:00Z", NOON),
        ("2025-11-20T13:00:00.000+01:00", NOON),
        ("2025-11-20T12:00:00.123456789Z", "2025-11-20T12:00:00.123456Z"),
        ("2025-11-20T12:00:00", NOON),
    ],
)
def test_times_are_kept_in_utc(sent, kept):
    assert parse(a_run_event(eventTime=sent)).time == kept


def test_a_run_id_that_is_no_uuid_becomes_marquezs_uuid_of_it():
    assert parse(a_run_event(run="nightly-1")).run == name_uuid("nightly-1")
    assert parse(a_run_event(run=RUN.upper())).run == RUN


def test_the_parent_and_its_root_are_parsed():
    event = parse(a_run_event(run_facets={"parent": a_parent(run="p-1", job="emissions", root=("r-1", "nightly"))}))

    assert event.parent == ParentRun(normalize_run_id("p-1"), JobId(NAMESPACE, "emissions"))
    assert event.root == ParentRun(normalize_run_id("r-1"), JobId(NAMESPACE, "nightly"))


def test_the_parents_old_name_wins_and_both_are_kept():
    facets = {"parent": a_parent(job="new"), "parentRun": a_parent(job="old")}
    event = parse(a_run_event(run_facets=facets))

    assert event.parent == ParentRun(RUN, JobId(NAMESPACE, "old"))
    assert event.run_facets == facets
    assert parse(a_run_event(run_facets={"parent": facets["parent"]})).parent == ParentRun(RUN, JobId(NAMESPACE, "new"))


def test_facets_are_kept_as_they_were_sent():
    facets = {"gone": {"_deleted": True}, "mine": {"any": [1, None, {"thing": None}]}, "schema": {"_deleted": True}}
    event = parse(a_run_event(run_facets=facets, job_facets=facets, inputs=[a_dataset("raw", facets=facets)]))

    assert (event.run_facets, event.job_facets, event.inputs[0].facets) == (facets, facets, facets)


def test_partitions_are_the_dataset_and_temporary_storage_is_marked():
    names = ["checked/day=2013-01-01", "checked/day=2013-01-02", "checked/_temporary/0/task_1"]
    rules = NamingRules()

    checked, temporary = DatasetId(STORE, "checked"), DatasetId(STORE, names[2])
    assert parse(a_run_event(outputs=names), rules).outputs == (
        DatasetUse(checked),
        DatasetUse(temporary, temporary=True),
    )
    assert [use.dataset.name for use in parse(a_run_event(outputs=names)).outputs] == names


def test_the_datasets_that_facets_name_are_called_as_those_of_events():
    def facets(location, previous):
        identifiers = [{"namespace": "s3://lake", "name": location, "type": "LOCATION"}]
        moved = {"name": previous, "namespace": STORE}
        return {
            "symlinks": a_facet(identifiers=identifiers),
            "lifecycleStateChange": a_facet(lifecycleStateChange="RENAME", previousIdentifier=moved),
        }

    output = a_dataset("checked", facets=facets("checked/day=1", "old/2013/01/01"))
    (use,) = parse(a_run_event(outputs=[output]), NamingRules()).outputs

    assert use.facets == facets("checked", "old")


def test_a_dataset_sent_twice_is_united_whatever_the_order():
    earlier = a_dataset("raw", facets={"schema": a_schema("a"), "only": {"in": "one"}}, outputFacets={"rows": {"n": 1}})
    later = a_dataset("raw", facets={"schema": a_schema("b")}, outputFacets={"rows": {"n": 2}, "more": {}})
    other = a_dataset("rejected")

    (first, last) = parse(a_run_event(outputs=[earlier, other, later])).outputs
    (again, _) = parse(a_run_event(outputs=[later, other, earlier])).outputs

    assert (
        first
        == again
        == DatasetUse(RAW, {"schema": a_schema("b"), "only": {"in": "one"}}, {"rows": {"n": 2}, "more": {}})
    )
    assert last.dataset.name == "rejected"


def test_the_hash_is_that_of_the_content_as_sent_whatever_the_order_of_its_fields():
    event = {"producer": "p", "eventTime": "2025-11-20T12:00:00Z", "dataset": {"name": "é", "namespace": "n"}}
    canonical = '{"dataset":{"name":"é","namespace":"n"},"eventTime":"2025-11-20T12:00:00Z","producer":"p"}'

    assert parse(event).hash == hashlib.sha256(canonical.encode()).hexdigest()
    assert parse(dict(reversed(event.items()))).hash == parse(event).hash
    # The same moment written otherwise is another event.
    assert parse({**event, "eventTime": "2025-11-20T12:00:00.000Z"}).hash != parse(event).hash


def test_a_time_too_far_ahead_is_refused_at_ingest_alone():
    event = a_run_event(eventTime="2025-11-21T12:00:00.001Z")

    with pytest.raises(Invalid, match="eventTime: must not be more than 24 hours after now"):
        parse(event, now=NOON)
    assert parse_change(event, AS_SENT) == parse(event, now=None)
    assert parse(a_run_event(eventTime="2025-11-21T12:00:00Z"), now=NOON).type == "COMPLETE"


DELETIONS = {
    "a job": ({"job": CHECK}, {"job": JobId(STORE, CHECK)}),
    "a dataset": ({"dataset": "raw/day=1"}, {"dataset": RAW}),
    "a namespace": ({}, {}),
}


@pytest.mark.parametrize(("sent", "expected"), DELETIONS.values(), ids=DELETIONS)
def test_a_deletion_is_distinguished_from_every_event(sent, expected):
    message = render_change("DELETE", namespace=STORE, time=NOON, **sent)

    deletion = parse_change(message, NamingRules())
    assert deletion == Deletion(time=NOON, hash=deletion.hash, namespace=STORE, **expected)
    assert parse_api_change(message, NamingRules()) == deletion
    with pytest.raises(Invalid, match=r"^change: must not come as an event; the API's routes delete and tag, got"):
        parse(message)


def test_no_event_that_ingest_takes_is_taken_for_a_deletion():
    for event in (a_run_event(), a_job_event(), a_dataset_event()):
        sent = {**event, "change": "DELETE", "namespace": NAMESPACE}
        assert parse_change(sent, AS_SENT) == parse(sent)
        for form in (sent, event):
            with pytest.raises(
                Invalid, match=r"^change: must be one of DELETE, TAG, UNTAG, OWN, .*REVOKE, without a producer"
            ):
                parse_api_change(form, AS_SENT)


def test_a_deletion_that_breaks_a_rule_is_invalid():
    with pytest.raises(Invalid, match=r"^namespace: is required$"):
        parse_api_change(without(render_change("DELETE", namespace=STORE, time=NOON), "namespace"), AS_SENT)


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("cafe\u0301", "café"),
        ("caf\u00e9", "café"),
        (" raw", "raw"),
        ("raw\u00a0 ", "raw"),
        ('a "b" ', 'a "b"'),
        ("a b", "a b"),
        ("Å\u200b", "Å\u200b"),
    ],
)
def test_names_are_kept_in_one_form_without_spaces_around_them(sent, kept):
    named = {"namespace": sent, "name": sent}
    source = {**named, "field": sent.strip()}
    links = {"identifiers": [{**named, "name": f"other {sent}", "type": "TABLE"}]}
    facets = {"columnLineage": {"fields": {"a": {"inputFields": [source]}}}, "symlinks": links}
    event = parse(a_run_event(job=sent, inputs=[named], outputs=[{**named, "facets": facets}]))

    dataset = DatasetId(kept, kept)
    assert event.job.name == kept
    assert [use.dataset for use in (*event.inputs, *event.outputs)] == [dataset, dataset]
    facets = event.outputs[0].facets
    assert facets["columnLineage"]["fields"]["a"]["inputFields"] == [
        {"namespace": dataset.namespace, "name": dataset.name, "field": unicodedata.normalize("NFC", sent.strip())}
    ]
    assert facets["symlinks"]["identifiers"][0]["name"] == unicodedata.normalize("NFC", f"other {sent}").strip()
