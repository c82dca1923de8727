"""Sources of results about runs: the model, and the loaders' table of the same statements."""

import pytest

from headwater.queries.runs import input_versions
from headwater.queries.service import LineageQueries
from tests.runs_model import Model
from tests.unit.queries.every_query import loaded


@pytest.fixture
def model():
    return Model


@pytest.fixture(params=["model", "loaded"])
def queries_over(request, model):
    """Return queries over statements: the model, or the table to which they were applied one by one, the last first."""
    if request.param == "model":
        return model
    return lambda statements: LineageQueries(loaded(*([statement] for statement in statements[::-1])))


@pytest.fixture(scope="module")
def listed_siblings():
    """List the runs of each parent, as the runs of a parent with many inputs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(input_versions, "MANY_READS", 1)
        yield
