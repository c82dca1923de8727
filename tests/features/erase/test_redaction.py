"""Events without the names of targets, by example; documents without targets stay as they are."""

import pytest

from headwater.events.naming import NamingRules
from headwater.events.parse import parse_event
from headwater.features.erase.redaction import redact
from headwater.features.erase.targets import Erased, Target, only
from tests.builders_events import a_dataset, a_dataset_event, a_facet, a_job_event, a_parent, a_run_event

RULES = NamingRules()
DATASET, JOB = Target("dataset", "lake", "people"), Target("job", "emissions", "export")
NAMESPACE, ROOT = Target("namespace", "hr"), Target("root", name="people.csv")
ERASED = only([DATASET, JOB, NAMESPACE, ROOT])
PEOPLE, PAY, RAW = a_dataset("people", "lake"), a_dataset("pay", "hr"), a_dataset("raw", "lake")
FACT = {"eventTime": "2025-11-20T12:00:00.000000Z"}


def named(namespace, name, **more):
    return {"namespace": namespace, "name": name, **more}


@pytest.mark.parametrize(
    "document",
    [
        a_run_event(job="export"),
        a_run_event(job="any", namespace="hr"),
        a_job_event(job="export"),
        a_dataset_event(PEOPLE),
        a_dataset_event(a_dataset("people/day=2013-01-01", "lake")),
        a_dataset_event(PAY),
        {"change": "TAG", "tag": "pii", "namespace": "lake", "dataset": "people", **FACT},
        {"change": "DELETE", "namespace": "emissions", "job": "export", **FACT},
        {"change": "DESCRIBE", "namespace": "hr", "description": "x", **FACT},
    ],
)
def test_a_document_about_a_target_is_left_out(document):
    assert redact(document, ERASED, RULES) is None


@pytest.mark.parametrize(
    "document",
    [
        a_run_event(),
        a_run_event(job="people", namespace="lake"),
        a_dataset_event(a_dataset("export", "emissions")),
        a_run_event(run_facets={"parent": a_parent(root=("0176a8c2-fe01-7439-87e6-56a1a1b4029f", "whole"))}),
        {"change": "TAG", "tag": "pii", **FACT},
        {"change": "DESCRIBE", "source": "hr", "description": "x", **FACT},
        "no event",
    ],
)
def test_a_document_without_targets_stays_as_it_is(document):
    assert redact(document, ERASED, RULES) is document
    assert redact(document, Erased(), RULES) is document


COLUMNS = {"id": {"inputFields": [named("lake", "people", field="id"), named("lake", "raw", field="id")]}}
LEFT = {"id": {"inputFields": [named("lake", "raw", field="id")]}}
ENTRY = {"type": "DATASET", **named("lake", "shared")}
OPERATION = {"type": "READ", "name": "r", "source": named("lake", "people"), "emits": ["id"]}
OF_EXPORT = {"run": {"runId": "0176a8c2-fe01-7439-87e6-56a1a1b4029f"}, "job": named("emissions", "export")}


@pytest.mark.parametrize(
    ("facet", "body", "stays"),
    [
        ("columnLineage", {"fields": COLUMNS}, {"fields": LEFT}),
        ("symlinks", {"identifiers": [named("hr", "x", type="TABLE"), named("lake", "y", type="TABLE")]}, None),
        (
            "lineage",
            {"entries": [{**ENTRY, "inputs": [{"type": "JOB", **named("emissions", "export")}]}]},
            {"entries": [{**ENTRY, "inputs": []}]},
        ),
        ("jobDependencies", {"upstream": [OF_EXPORT], "downstream": []}, {"upstream": [], "downstream": []}),
        ("parent", OF_EXPORT, "gone"),
        ("headwater_operations", {"operations": [OPERATION]}, "gone"),
        ("headwater_records", {"rootIds": ["people.csv", "flights"]}, {"rootIds": ["flights"]}),
        ("headwater_records", {"rootIds": ["people.csv"]}, "gone"),
        ("lifecycleStateChange", {"lifecycleStateChange": "RENAME", "previousIdentifier": named("hr", "x")}, "renamed"),
    ],
)
def test_a_facet_loses_the_targets_or_goes(facet, body, stays):
    expected = {
        "gone": {},
        "renamed": {facet: {"lifecycleStateChange": "RENAME"}},
        None: {facet: {"identifiers": [named("lake", "y", type="TABLE")]}},
    }.get(stays if not isinstance(stays, dict) else "kept", {facet: stays})
    assert redact(a_run_event(run_facets={facet: body}), ERASED, RULES) == a_run_event(run_facets=expected)


def test_a_neighbour_keeps_its_event_and_the_rest_is_valid():
    output = {**RAW, "facets": {"columnLineage": a_facet("ColumnLineageDataset", "1-2-0", fields=COLUMNS)}}
    kept = redact(a_run_event(inputs=[PEOPLE, RAW], outputs=[output, PAY]), ERASED, RULES)
    event = parse_event(kept, RULES, now=None)
    assert [use.dataset.name for use in event.inputs] == ["raw"]
    assert [use.dataset.name for use in event.outputs] == ["raw"]
    assert event.outputs[0].facets["columnLineage"]["fields"] == LEFT
