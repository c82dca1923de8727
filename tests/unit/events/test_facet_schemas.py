"""The JSON Schemas of our facets say of each facet by itself what the door says."""

import json
from pathlib import Path

import jsonschema
import pytest

from headwater.events.naming import NamingRules
from headwater.events.parse import parse_event
from headwater_model.errors import Invalid
from tests.builders_events import STORE, a_facet, a_run_event

FACETS = Path(__file__).parents[3] / "docs" / "facets"
RAW, CHECKED = ({"namespace": STORE, "name": name} for name in ("raw", "checked"))
READ = {"type": "READ", "name": "read", "source": RAW, "outputs": ["a", {"name": "b", "type": "int"}]}
UPPER = {"type": "TRANSFORM", "name": "upper", "inputs": [{"origin": "read", "name": "a"}], "outputs": ["u"]}
WRITE = {"type": "WRITE", "name": "w", "inputs": [{"origin": "read", "name": "a"}], "destination": CHECKED}


def operations(*changed):
    return {"headwater_operations": a_facet("HeadwaterOperationsRun", operations=[READ, *changed, WRITE])}


def roots(ids):
    return {"headwater_records": a_facet("HeadwaterRecordsRun", rootIds=ids)}


GOOD = {
    "reads and writes": operations(),
    "a transform": operations(UPPER),
    "a drop": operations({**UPPER, "outputs": []}),
    "generated": operations({**UPPER, "inputs": None}),
    "described": operations({**UPPER, "description": "in capitals"}),
    "null": operations({**UPPER, "description": None, "outputs": [{"name": "u", "type": None}]}),
    "more than is asked": operations({**UPPER, "properties": {"case": "upper"}}),
    "roots": roots(["flights"]),
    "no roots": roots([]),
}
BAD = {
    "no operation": {"headwater_operations": a_facet("HeadwaterOperationsRun", operations=[])},
    "no list": {"headwater_operations": a_facet("HeadwaterOperationsRun", operations={})},
    "no name": operations({**UPPER, "name": None}),
    "an empty name": operations({**UPPER, "name": ""}),
    "another type": operations({**UPPER, "type": "MERGE"}),
    "an input without origin": operations({**UPPER, "inputs": [{"name": "a"}]}),
    "an input by name": operations({**UPPER, "inputs": ["a"]}),
    "an output of another type": operations({**UPPER, "outputs": [7]}),
    "an output without a name": operations({**UPPER, "outputs": [{"type": "int"}]}),
    "a read of nothing": operations({**READ, "name": "r", "source": None}),
    "a write to nothing": operations({**WRITE, "name": "out", "destination": {"name": "checked"}}),
    "a description that is none": operations({**UPPER, "description": 7}),
    "roots that are none": roots([7]),
    "an empty root": roots([""]),
    "no list of roots": roots("flights"),
}


def is_valid(facets):
    (name,) = facets
    schema = json.loads((FACETS / f"{name}.json").read_text(encoding="utf-8"))
    return jsonschema.Draft202012Validator(schema).is_valid(facets)


def is_taken(facets):
    try:
        parse_event(a_run_event(run_facets=facets), NamingRules(), now=None)
    except Invalid:
        return False
    return True


@pytest.mark.parametrize("facets", GOOD.values(), ids=GOOD)
def test_what_the_schema_allows_is_taken(facets):
    assert is_valid(facets)
    assert is_taken(facets)


@pytest.mark.parametrize("facets", BAD.values(), ids=BAD)
def test_what_the_schema_forbids_is_refused(facets):
    assert not is_valid(facets)
    assert not is_taken(facets)
