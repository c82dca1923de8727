"""Usual times: how often a dataset is written, how long runs take, and how long one has been running."""

from __future__ import annotations

import pytest

from tests.explorer.served import ServedGraph
from tests.explorer.stories import JOBS, LAKE, a_dataset, a_run, run_of

CHECKED, CHECK = f"dataset:{LAKE}:checked", f"job:{JOBS}:emissions.check"


def test_a_dataset_says_how_often_it_is_written(open_view, pipeline):
    page = open_view(pipeline, f"dataset?node={CHECKED}")
    page.get_by_text("usually daily").wait_for()


def test_a_job_says_how_often_it_ends_and_how_long_it_takes(open_view, pipeline):
    page = open_view(pipeline, f"job?node={CHECK}")
    page.get_by_text("usually daily").wait_for()
    page.get_by_text("(usually 7 min)").wait_for()


@pytest.fixture
def running():
    """A job that ran four nights for four minutes, and runs again; another's first run."""
    served = ServedGraph()
    nights = [event for day in (16, 17, 18, 19) for event in a_run("land", day, [], [a_dataset("raw")])]
    served.load(*nights, a_run("land", 20)[0], a_run("first", 20)[0])
    yield served
    served.stop()


@pytest.mark.parametrize("view", ["", f"job?node=job:{JOBS}:land", f"run?id={run_of('land', 20)}"])
def test_a_run_that_has_not_ended_says_for_how_long_and_what_is_usual(open_view, running, view):
    page = open_view(running, view)
    page.get_by_text("running for").first.wait_for()
    page.get_by_text("(usually 4 min)").wait_for()


def test_what_never_completed_has_nothing_usual(open_view, running):
    page = open_view(running, f"job?node=job:{JOBS}:first")
    page.get_by_text("running for").first.wait_for()
    page.wait_for_load_state("networkidle")
    assert page.get_by_text("usually").count() == 0
