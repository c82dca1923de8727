"""The OpenAPI document: what is checked in is what is built, is valid, and says what the routes do."""

from __future__ import annotations

import json
import re

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from lineage.api.app import DOCUMENT, ROUTES
from lineage.api.document import build, render
from lineage.api.schemas import SCHEMAS
from lineage.records.request import RequestModel

BUILT = json.loads(json.dumps(build()))


def test_the_checked_in_document_is_what_is_built():
    assert DOCUMENT.read_text(encoding="utf-8") == render(), "python -m lineage.api.document writes it anew"


def test_the_document_is_valid_openapi():
    validate(BUILT)


def test_every_route_is_in_the_document_and_no_other():
    written = {
        (method.upper(), path) for path, item in BUILT["paths"].items() for method in item if method != "parameters"
    }

    assert written == {(route.method, re.sub("<(.*?)>", r"{\1}", route.path)) for route in ROUTES}


@pytest.mark.parametrize("name", BUILT["components"]["schemas"])
def test_every_schema_has_examples_that_fit_it(name):
    schema = {"components": BUILT["components"], "$ref": f"#/components/schemas/{name}"}
    examples = BUILT["components"]["schemas"][name]["examples"]

    assert examples
    for example in examples:
        Draft202012Validator(schema).validate(example)


def test_the_request_is_documented_field_by_field():
    documented = SCHEMAS["LineageRequest"]

    assert list(documented["properties"]) == list(RequestModel.model_fields)
    assert documented["required"] == [name for name, field in RequestModel.model_fields.items() if field.is_required()]
