"""The imports of a cold start."""

import pytest

from benchmarks.cold_start import _ENVIRONMENT, STARTS
from benchmarks.processes import run_code


@pytest.mark.parametrize("start", STARTS, ids=lambda start: start.name)
def test_a_function_starts_without_pydantic(start):
    """Pydantic and its models cost a start a sixth; documents and rules of names need them."""
    code = f"{start.ours}; import sys; print(int('pydantic' in sys.modules))"

    assert run_code(code, _ENVIRONMENT) == 0


def test_a_snapshot_holds_the_queries_and_no_connection():
    loaded = "int('headwater.queries.service' in sys.modules)"
    code = f"import lambdas.api, sys; print([{loaded}, len(lambdas.api.wiring.dynamodb().connections._idle)])"

    assert run_code(code, {**_ENVIRONMENT, "AWS_LAMBDA_INITIALIZATION_TYPE": "snap-start"}) == [1, 0]
