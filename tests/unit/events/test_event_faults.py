"""Every rule that an event may break, and how it is reported."""

import json

import orjson
import pytest
from hypothesis import given

from headwater.events.api_changes import parse_change
from headwater.events.ingest import parse_event_message, render_event_message
from headwater.events.name_rules import read_rules
from headwater.events.naming import NamingRules
from headwater.events.parse import parse_event
from headwater.facts.delta import delta_of
from headwater_model.errors import Invalid, TooLarge
from headwater_model.named_datasets import DATASETS_MAX
from tests.builders_events import (
    a_dataset,
    a_dataset_event,
    a_job_event,
    a_parent,
    a_run_event,
    without,
)
from tests.unit.events.spoiling import JSON, SPOILED, replaced

RULES = NamingRules()
FOLDING = NamingRules(
    names=read_rules(
        {"rules": [{"namespace": "n", "as": {"namespace": "m"}}, {"fields": {"quotes": "drop", "case": "upper"}}]}
    )
)


def faults(body):
    with pytest.raises(Invalid) as caught:
        parse_event(body, RULES, now=None)
    return str(caught.value).split("; ")


def an_input(**changes):
    return a_run_event(inputs=[a_dataset("raw"), a_dataset("raw") | changes])


def with_facet(name, **facet):
    return an_input(facets={name: facet})


RUN, JOB, DATASET = a_run_event(), a_job_event(), a_dataset_event()
NOTHING = ["eventTime: is required", "producer: is required", "job: is required", "run: is required"]
TIME = "must be an ISO 8601 date and time in the years 1 to 9999"

MISSING = [
    ({}, NOTHING),
    *((without(event, "eventTime"), ["eventTime: is required"]) for event in (RUN, JOB, DATASET)),
    (without(RUN, "job"), ["job: is required"]),
    (without(RUN, "run", "runId"), ["run.runId: is required"]),
    (without(JOB, "job", "name"), ["job.name: is required"]),
    (without(DATASET, "dataset", "name"), ["dataset.name: is required"]),
    (without(RUN, "inputs", 0, "name"), ["inputs[0].name: is required"]),
    (with_facet("tags", tags=[{"value": "PII"}]), ["inputs[1].facets.tags.tags[0].key: is required"]),
    (with_facet("ownership", owners=[{}]), ["inputs[1].facets.ownership.owners[0].name: is required"]),
    (with_facet("schema", fields=[{"type": "int"}]), ["inputs[1].facets.schema.fields[0].name: is required"]),
    (
        with_facet("symlinks", identifiers=[{}]),
        [f"inputs[1].facets.symlinks.identifiers[0].{name}: is required" for name in ("namespace", "name")],
    ),
    (
        with_facet("lifecycleStateChange", previousIdentifier={"name": "a"}),
        ["inputs[1].facets.lifecycleStateChange.previousIdentifier.namespace: is required"],
    ),
    (
        a_run_event(run_facets={"parent": {}}),
        [f"run.facets.parent.{name}: is required" for name in ("run", "job")],
    ),
    (
        a_run_event(run_facets={"parent": {**a_parent(), "root": {"run": {}}}}),
        [f"run.facets.parent.root.{name}: is required" for name in ("run.runId", "job")],
    ),
]

WRONG = [
    (None, ["event: must be a JSON object, got None"]),
    ([RUN], [f"event: must be a JSON object, got {repr([RUN])[:80]}… ({len(repr([RUN]))} characters)"]),
    (a_run_event(eventTime="yesterday"), [f"eventTime: {TIME}, got 'yesterday'"]),
    (a_run_event(eventTime="2025-02-30T00:00:00Z"), [f"eventTime: {TIME}, got '2025-02-30T00:00:00Z'"]),
    (a_run_event(outputs=["raw\n"]), ["outputs[0].name: must not hold control characters, got 'raw\\n'"]),
    *(
        (a_run_event(eventTime=time), [f"eventTime: {TIME}, got '{time}'"])
        for time in (f"2025-11-20T12:00:00{offset}" for offset in ("+24:00", "-24", "+99:99", "+0060", "-2359:00"))
    ),
    (a_run_event(eventTime=1763640000), ["eventTime: must be a string, got 1763640000"]),
    (a_run_event(run=7), ["run.runId: must be a string, got 7"]),
    (a_run_event(namespace="a\nb"), ["job.namespace: must not hold control characters, got 'a\\nb'"]),
    (
        a_run_event(run_facets={"parent": a_parent(job="\x1bnightly", root=("r", "\x85"))}),
        [
            "run.facets.parent.job.name: must not hold control characters, got '\\x1bnightly'",
            "run.facets.parent.root.job.name: must not be blank, got '\\x85'",
        ],
    ),
    (a_run_event(inputs={}), ["inputs: must be a list, got {}"]),
    (an_input(inputFacets={"rows": 7}), ["inputs[1].inputFacets.rows: must be a JSON object, got 7"]),
    (with_facet("schema", fields={}), ["inputs[1].facets.schema.fields: must be a list, got {}"]),
    (
        with_facet("schema", fields=[{"name": " ", "type": {}}]),
        [
            "inputs[1].facets.schema.fields[0].name: must not be blank, got ' '",
            "inputs[1].facets.schema.fields[0].type: must be a string, got {}",
        ],
    ),
    (with_facet("dataSource", uri=3), ["inputs[1].facets.dataSource.uri: must be a string, got 3"]),
    (
        a_run_event(job_facets={"jobType": {"processingType": 1}, "documentation": {"description": 2}}),
        [
            "job.facets.jobType.processingType: must be a string, got 1",
            "job.facets.documentation.description: must be a string, got 2",
        ],
    ),
    (
        a_run_event(run_facets={"mine": {"a": ["\ud800"], "\ud800": 1}}),
        [
            "run.facets.mine: must be valid Unicode (it holds a lone surrogate), got {'a': ['\\ud800'], '\\ud800': 1}",
            "run.facets.mine.a[0]: must be valid Unicode (it holds a lone surrogate), got '\\ud800'",
        ],
    ),
    (
        a_run_event(run_facets={"mine": {"n": 2**64}}),
        [f"run.facets.mine.n: must be a number of at most 64 bits, got {2**64}"],
    ),
]


@pytest.mark.parametrize(("body", "expected"), MISSING, ids=[expected[0][:60] for _, expected in MISSING])
def test_what_is_missing_is_named_as_missing(body, expected):
    assert faults(body) == expected
    with pytest.raises(Invalid) as caught:
        parse_event(body, RULES, now=None)
    assert all(fault.missing for fault in caught.value.faults)


@pytest.mark.parametrize(("body", "expected"), WRONG, ids=[expected[0][:60] for _, expected in WRONG])
def test_what_is_wrong_is_named_with_its_value_and_rule(body, expected):
    assert faults(body) == expected


def test_sizes_count_bytes_of_names_and_characters_of_namespaces():
    parse_event(a_run_event(job="é" * 1024, namespace="é" * 1024), RULES, now=None)

    (name,) = faults(a_run_event(job="é" * 1024 + "x"))
    (namespace,) = faults(a_run_event(namespace="n" * 1025))
    assert name.startswith("job.name: must be at most 2048 bytes of UTF-8, got 'éé")
    assert namespace.startswith("job.namespace: must be at most 1024 characters, got 'nn")


def test_a_hundred_levels_are_read_and_one_more_is_not():
    def nested(levels):
        value = {}
        for _ in range(levels - 4):  # the event, run, facets and the facet
            value = {"a": value}
        return a_run_event(run_facets={"deep": value})

    parse_event(nested(100), RULES, now=None)
    assert faults(nested(102)) == ["event: must be nested at most 100 levels deep, got '102 levels'"]
    deep = []
    for _ in range(5_000):
        deep = [deep]
    assert faults(deep) == ["event: must be nested at most 100 levels deep, got '5001 levels'"]


@given(JSON)
def test_any_json_is_read_or_invalid(body):
    read_or_invalid(body)


@given(SPOILED, JSON)
def test_an_event_with_anything_anywhere_is_read_or_invalid(spoiled, new):
    whole, place = spoiled
    read_or_invalid(replaced(whole, place, new))


def read_or_invalid(body):
    """Whatever the door takes travels as a message, and is read and loaded there by any rules of names."""
    try:
        event = parse_event(body, RULES, now="2025-11-20T12:00:00.000000Z")
    except Invalid:
        return
    (message,) = parse_event_message(render_event_message(body))
    assert parse_change(message, RULES) == event
    delta_of([event, parse_change(message, FOLDING)])


def test_a_message_is_an_event_or_a_pack_or_a_pointer_and_nothing_else():
    for name in ("s3", "events"):
        assert parse_event_message(json.dumps({**RUN, name: {"bucket": "b"}})) == [{**RUN, name: {"bucket": "b"}}]
    for body in ("{", "[]", "null", '{"s3": {"bucket": ""}}', orjson.dumps({"s3": 7}), '{"events": {}}'):
        with pytest.raises(Invalid):
            parse_event_message(body)


def test_an_event_names_ten_thousand_datasets_and_no_more():
    inputs = [{"namespace": "s3://flights", "name": f"part-{number}"} for number in range(DATASETS_MAX)]
    assert len(parse_event(a_run_event(inputs=inputs, outputs=[inputs[0]]), RULES, now=None).inputs) == DATASETS_MAX
    source = {"namespace": "s3://flights", "name": "source", "field": "carrier"}
    columns = {"columnLineage": {"fields": {"carrier": {"inputFields": [source]}}}}
    rule = (
        "inputs, outputs, sources of columns and symlinks: an event may name 10000 datasets, got 10001; further events"
    )
    for output in ("raw", {**inputs[0], "facets": columns}):
        with pytest.raises(TooLarge, match=rule):
            parse_event(a_run_event(inputs=inputs, outputs=[output]), RULES, now=None)
