"""The OpenAPI document is valid, has every route, and its examples fit its schemas."""

import json
import re

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from headwater.api.app import all_routes, render_document
from headwater.api.document.examples import EXAMPLES
from headwater_model.record_requests import REQUEST_FIELDS


@pytest.fixture(scope="module")
def document():
    return json.loads(render_document())


@pytest.fixture(scope="module")
def schemas(document):
    return document["components"]["schemas"]


def test_the_document_is_valid_openapi(document):
    validate(document)


def test_every_route_is_in_the_document_and_no_other(document):
    documented = {
        (method.upper(), path) for path, item in document["paths"].items() for method in item if method != "parameters"
    }

    assert documented == {(route.method, re.sub("<(.*?)>", r"{\1}", route.path)) for route in all_routes()}


def test_every_route_declares_the_segments_of_its_path():
    for route in all_routes():
        declared = [parameter.name for parameter in route.parameters if parameter.place == "path"]
        assert declared == re.findall("<(.*?)>", route.path), route.path


def test_every_route_has_a_summary_a_response_and_an_operation_id_of_its_own(document):
    operations = [
        operation for item in document["paths"].values() for name, operation in item.items() if name != "parameters"
    ]

    assert all(
        operation["summary"] and all(reply["description"] for reply in operation["responses"].values())
        for operation in operations
    )
    assert len({operation["operationId"] for operation in operations}) == len(all_routes())


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_fits_its_schema(document, schemas, name):
    schema = {"components": document["components"], "$ref": f"#/components/schemas/{name}"}

    assert schemas[name]["examples"] == EXAMPLES[name]
    for example in EXAMPLES[name]:
        Draft202012Validator(schema).validate(example)


def test_whatever_a_route_takes_or_returns_by_name_has_an_example(document):
    bodies = re.findall('"schema": {"[$]ref": "#/components/schemas/(.*?)"}', json.dumps(document["paths"]))

    assert bodies
    assert set(bodies) <= EXAMPLES.keys()


def test_the_request_is_documented_field_by_field(schemas):
    assert list(schemas["LineageRequest"]["properties"]) == list(REQUEST_FIELDS)
