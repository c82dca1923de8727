"""A run is of one job: whoever knows its id and sends events of another job changes nothing of it.

Events of another namespace name jobs and datasets of that namespace alone: a token that covers no more lets no others
through.
"""

import pytest

from headwater.api.tokens import Token
from headwater.events.event import ParentRun
from headwater.facts.visibility import Visibility
from headwater.queries.runs.runs import JOBS_MAX
from headwater.queries.service import LineageQueries
from headwater_model.ids import DatasetId, JobId, RunKey
from tests.unit.facts.statements import an_event, code, run_id
from tests.unit.queries.every_query import loaded

LOAD, SUM, NIGHTLY = (JobId("teamB", name) for name in ("load", "sum", "nightly"))
STEAL, CRON = JobId("teamA", "steal"), JobId("teamA", "cron")
ORDERS, TOTALS = (DatasetId("s3://b", name) for name in ("orders", "totals"))
THEIRS = DatasetId("s3://a", "theirs")
PARENT = ParentRun(run_id("dd"), NIGHTLY)
HONEST = [
    an_event(3, "b1", LOAD, "START", parent=PARENT, job_facets=code("1")),
    an_event(5, "b1", LOAD, outputs=[ORDERS], parent=PARENT),
    an_event(6, "b2", SUM, inputs=[ORDERS], outputs=[TOTALS], parent=PARENT),
    an_event(8, "dd", NIGHTLY),
]
ERROR = {"errorMessage": {"message": "give up", "programmingLanguage": "PYTHON"}}
ATTACKS = {
    "it fails the run": [an_event(9, "b1", STEAL, "FAIL")],
    "it starts the run earlier": [an_event(1, "b1", STEAL, "START")],
    "it adds inputs, outputs, an error and a code location": [
        an_event(
            4,
            "b1",
            STEAL,
            "OTHER",
            inputs=[THEIRS],
            outputs=[THEIRS],
            run_facets=ERROR,
            job_facets=code("9", "https://a"),
        )
    ],
    "it claimed the run id before": [an_event(0, "b1", STEAL, "START"), an_event(1, "b1", STEAL, outputs=[THEIRS])],
    "it names the run as its parent": [an_event(1, "a1", STEAL, parent=ParentRun(run_id("b1"), CRON))],
    "it is a sibling of the runs": [an_event(7, "a1", STEAL, outputs=[THEIRS], parent=ParentRun(run_id("dd"), CRON))],
    "it fails the parent": [an_event(9, "dd", CRON, "FAIL"), an_event(0, "dd", CRON, "START")],
}


def a_view(*namespaces):
    """Return what a token for these namespaces sees."""
    token = Token(id="", hash="", scopes=("read",), namespaces=namespaces, created=0)
    return Visibility(token.covers, token.namespaces)


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS.keys())
@pytest.mark.parametrize("namespaces", [("teamB",), ("team0", "teamB"), ("teamB*",)])
def test_whoever_may_read_a_runs_namespace_alone_finds_it_by_its_id(queries_over, attack, namespaces):
    honest, attacked = (queries_over(statements) for statements in (HONEST, [*HONEST, *attack]))
    attacked = attacked.seen_by(a_view(*namespaces))
    for run in ("b1", "b2", "dd"):
        listed_run = attacked.find_run(run_id(run))
        assert listed_run == honest.find_run(run_id(run))
        assert listed_run.other_jobs == ()
    assert attacked.find_upstream_runs(run_id("b2"), depth=9) == honest.find_upstream_runs(run_id("b2"), depth=9)


def test_an_id_in_more_namespaces_than_are_read_is_found_by_whoever_may_read_its_namespace():
    others = [an_event(1, "b1", JobId(f"a{number}", "steal")) for number in range(JOBS_MAX + 1)]
    queries = LineageQueries(loaded([*HONEST, *others]))
    assert queries.seen_by(a_view("teamB", "other*")).find_run(run_id("b1")).job == LOAD
    assert not queries.seen_by(a_view("teamB")).find_run(run_id("b1")).others_cut
    run = queries.find_run(run_id("b1"))
    assert (len(run.other_jobs), run.others_cut) == (JOBS_MAX - 1, True)
    assert queries.find_upstream_runs(run_id("b1"), depth=0).truncated


def test_run_keys_are_in_the_order_of_the_texts_that_stand_for_them_in_keys():
    keys = [RunKey.of(job, run_id(run)) for run in ("a1", "a2") for job in (LOAD, SUM, STEAL)]
    assert sorted(keys, key=str) == sorted(keys)
    assert [RunKey.parse(str(key)) for key in keys] == keys
