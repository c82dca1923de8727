"""Datasets with more readers than one query takes: at an earlier time they keep their producers."""

from headwater.facts.apply import apply_statements
from headwater.queries.service import LineageQueries
from headwater.queries.view import names
from headwater_model.ids import JobId
from tests.fakes.memory_table import MemoryTable
from tests.unit.facts.statements import A, X, an_event, at


def test_a_dataset_of_too_many_past_readers_keeps_its_producers(monkeypatch):
    monkeypatch.setattr(names, "EDGES_MAX", 10)
    readers = [
        an_event(2, f"r{number:02}", JobId("emissions", f"a reader {number:02}"), inputs=[X]) for number in range(20)
    ]
    table = MemoryTable()
    apply_statements([an_event(1, "w1", A, outputs=[X]), *readers], table)
    queries = LineageQueries(table)

    graph = queries.find_graph(X.node_id, depth=1, at=at(5))

    assert A in {job.id for job in graph.jobs}
    assert graph.truncated
