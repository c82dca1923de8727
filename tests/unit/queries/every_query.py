"""Every question about the few names of `strategies`, of the model and of what the loaders made."""

from __future__ import annotations

from benchmarks.memory_table import MemoryTable
from lineage.graph.apply import apply_changes
from lineage.queries.service import Questions
from lineage.settings import GRAPH_PARTITIONS
from tests.runs_model import Model
from tests.runs_model.results import every_result
from tests.unit.graph.strategies import DATASETS, JOBS, RUNS, TIMES

_OF_MANY = ("list_datasets", "search")
# Two pasts are enough: one in the middle, one near the end.
_TIMES = TIMES[2::2]


def loaded(*batches, changes_max=1):
    """Return a table to which these batches of statements were applied, its catalogue compacted often."""
    table = MemoryTable()
    for batch in batches:
        apply_changes(batch, table, changes_max=changes_max)
    outside = {pk for pk in table.dynamo.partitions if not pk.startswith(GRAPH_PARTITIONS)}
    assert outside == set(), "the events function may write to these partitions alone"
    return table


def answers_of(table, times=_TIMES):
    return every_result(Questions(table), jobs=JOBS, datasets=DATASETS, runs=RUNS, times=times)


def right_answers(statements, times=_TIMES):
    """The model's answers to all questions that loaders answer whatever was said.

    A known limit: lists and search heed what is said of a dataset's other names (that one is temporary, or deleted),
    but not of the other names of those.
    """
    model = Model(statements)
    right = every_result(model, jobs=JOBS, datasets=DATASETS, runs=RUNS, times=times)
    if any(name in model.statements.aliases for name in model.statements.aliases.values()):
        right = {question: answer for question, answer in right.items() if not question.startswith(_OF_MANY)}
    return right


def differences(answers, right):
    """What differs, by question: few are told, for one wrong fact makes many wrong answers."""
    wrong = [question for question in right if answers.get(question) != right[question]]
    return {question: (answers.get(question), right[question]) for question in wrong[:3]}
