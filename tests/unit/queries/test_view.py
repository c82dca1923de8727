"""A view: names become datasets, deletions hide, and namespaces come with a round that is made anyway."""

import pytest

from headwater.facts.apply import apply_statements
from headwater.queries.view import GraphView
from headwater_model.ids import DatasetId, JobId
from tests.fakes.memory_table import MemoryTable
from tests.unit.facts.statements import A, B, C, X, Y, Z, a_dataset_event, a_deletion, an_event, at
from tests.unit.facts.strategies import a_symlink

ALIAS = DatasetId("hive://meta", "flights.x")
ELSEWHERE = DatasetId("s3://old", "W")
LATE = JobId("retired", "D")


def a_graph(*, time=None):
    """A graph in which X and Z, and the job A, are left: the others, or their namespaces, were deleted."""
    table = MemoryTable()
    statements = [
        an_event(1, "01", A, inputs=[X], outputs=[Y]),
        an_event(2, "02", B, outputs=[Z]),
        an_event(3, "03", LATE, outputs=[ELSEWHERE]),
        a_dataset_event(4, X, **a_symlink(ALIAS)),
        *(a_deletion(5, thing) for thing in (Y, B)),
        *(a_deletion(5, namespace=namespace) for namespace in ("retired", "s3://old")),
    ]
    apply_statements(statements, table)
    table.calls.clear()
    return table, GraphView(table, time)


@pytest.mark.parametrize("users", [None, "writers", "up", "down", "ever"])
def test_a_dataset_is_shown_unless_it_or_its_namespace_was_deleted(users):
    _, view = a_graph()
    unknown = DatasetId("s3://flights", "unknown")
    view.load([X, Y, Z, ALIAS, ELSEWHERE, unknown], users=users)

    assert [view.dataset(name).primary for name in (X, Z, ALIAS)] == [X, Z, X]
    assert [view.dataset(name) for name in (Y, ELSEWHERE, unknown)] == [None, None, None]
    assert [group.primary for group in view.datasets([Z, ALIAS, Y, X, unknown])] == [X, Z]


def test_a_job_is_shown_unless_it_or_its_namespace_was_deleted():
    _, view = a_graph()
    view.load(jobs=[A, B, C, LATE])

    assert [job.id for job in view.jobs([LATE, C, B, A])] == [A]
    assert [view.job(job) is None for job in (A, B, C, LATE)] == [False, True, True, True]
    stored = {job: view.stored_job(job) for job in (A, B, C, LATE)}
    assert stored[C] is None
    assert {job: stored[job].hidden for job in (A, B, LATE)} == {A: False, B: True, LATE: True}


def test_before_the_deletions_all_are_shown():
    _, view = a_graph(time=at(5))
    view.load([X, Y, Z, ELSEWHERE], [A, B, LATE])

    assert len(view.datasets([X, Y, Z, ELSEWHERE])) == 4
    assert len(view.jobs([A, B, LATE])) == 3


def test_a_load_reads_a_round_of_datasets_and_one_of_jobs_and_the_namespaces_with_them():
    table, view = a_graph()
    view.load([Y, Z, ELSEWHERE], [A, B, LATE])
    assert table.rounds == 2

    view.load([Y, Z, ELSEWHERE], [A, B, LATE])
    view.datasets([Y, Z, ELSEWHERE])
    view.jobs([A, B, LATE])
    assert table.rounds == 2


def test_the_namespace_of_a_datasets_other_name_is_read_with_the_jobs():
    table, view = a_graph()
    view.load([ALIAS], [A])
    view.dataset(ALIAS)

    # The other name, the dataset, and the job.
    assert table.rounds == 3


def test_datasets_beyond_the_jobs_cost_no_round_of_their_own():
    table, view = a_graph()
    view.load(jobs=[A, B], neighbours=[([Y, Z], "down")])
    assert table.rounds == 1

    view.load([Y, Z], users="down")
    assert ([group.primary for group in view.datasets([Y, Z])], [job.id for job in view.jobs([A, B])]) == ([Z], [A])
    assert table.rounds == 1
