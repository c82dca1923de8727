"""Sources of results about columns: the model, and the loaders' table of the same statements."""

import pytest

from headwater.facts import run_reports
from headwater.queries.service import LineageQueries
from tests.fields_model import FieldModel
from tests.unit.queries.columns.counting import CHAIN, RUNS, Counter, a_chain
from tests.unit.queries.every_query import loaded


@pytest.fixture(params=["model", "loaded"])
def queries_over(request):
    """Return queries over statements: the model, or the table to which they were applied one by one, the last first."""
    if request.param == "model":
        return FieldModel
    return lambda statements: LineageQueries(loaded(*([statement] for statement in statements[::-1])))


@pytest.fixture(scope="module")
def once():
    """A chain of jobs that ran once."""
    return Counter(a_chain(CHAIN))


@pytest.fixture(scope="module")
def often():
    """The same chain after many runs."""
    return Counter(a_chain(CHAIN, RUNS))


@pytest.fixture(scope="module")
def few_exact_rows():
    """Runs of more than four rows are wide, as those of more than 45 are: a short history has them, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_reports, "EXACT_MAX", 4)
        yield
