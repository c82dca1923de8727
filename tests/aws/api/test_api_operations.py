"""Every operation of the OpenAPI document: the simplest request that fits it has a response that it promises."""

import json

import schemathesis
from hypothesis import Phase, given, settings
from schemathesis.core import NotSet
from schemathesis.generation import GenerationMode

from headwater import settings as variables
from headwater.api.app import render_document

ONCE = settings(max_examples=1, phases=[Phase.generate], deadline=None, derandomize=True, database=None)


def test_every_operation_keeps_its_promises_to_the_simplest_request(api, cloud, monkeypatch):
    """`send` holds the response against the route; what a fuzzer finds is in tests/e2e/test_api_over_http.py."""
    monkeypatch.setenv(variables.SEARCH_WORKGROUP, "primary")
    cloud.loads_meanwhile = True

    def check(case):
        body = None if isinstance(case.body, NotSet) else json.dumps(case.body)
        query = {name: value if isinstance(value, list) else str(value) for name, value in case.query.items()}
        assert api.send(case.method, case.formatted_path, query, body=body).status < 500

    for operation in schemathesis.openapi.from_dict(json.loads(render_document())).get_all_operations():
        ONCE(given(case=operation.ok().as_strategy(generation_mode=GenerationMode.POSITIVE))(check))()
