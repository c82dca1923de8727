"""Usual times: how long a run has been running, and how long its job usually runs."""

from __future__ import annotations

import pytest

from tests.explorer.served import ServedGraph
from tests.explorer.stories import JOBS, a_dataset, a_run, run_of


@pytest.fixture
def running():
    """A job that ran four nights for four minutes, and runs again."""
    served = ServedGraph()
    nights = [event for day in (16, 17, 18, 19) for event in a_run("land", day, [], [a_dataset("raw")])]
    served.load(*nights, a_run("land", 20)[0])
    yield served
    served.stop()


LANDED = f"job?node=job:{JOBS}:land"
OTHERS = [pytest.param(view, marks=pytest.mark.slow) for view in ("", f"run?id={run_of('land', 20)}")]


@pytest.mark.parametrize("view", [LANDED, *OTHERS])
def test_a_run_that_has_not_ended_says_for_how_long_and_what_is_usual(open_view, running, view):
    page = open_view(running, view)
    page.get_by_text("running for").first.wait_for()
    page.get_by_text("(usually 4 min)").wait_for()
