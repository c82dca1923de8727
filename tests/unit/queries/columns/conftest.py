"""The model of columns, and chains of jobs."""

import pytest

from headwater.facts import run_reports
from tests.fields_model import FieldModel
from tests.unit.queries.columns.counting import CHAIN, RUNS, Counter, a_chain


@pytest.fixture
def model():
    return FieldModel


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
