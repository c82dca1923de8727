"""Every question about the few names of `strategies`, of the model and of what the loaders made."""

from __future__ import annotations

from lineage.runs.apply import apply
from lineage.runs.questions import Questions
from tests.memory_table import MemoryTable
from tests.runs_model import Model
from tests.runs_model.answers import every_answer
from tests.unit.runs.strategies import DATASETS, JOBS, RUNS, TIMES


def loaded(*batches):
    """A table to which these batches of statements were applied."""
    table = MemoryTable()
    for batch in batches:
        apply(batch, table)
    return table


def answers_of(table, times=TIMES):
    return every_answer(Questions(table), jobs=JOBS, datasets=DATASETS, runs=RUNS, times=times)


def right_answers(statements, times=TIMES):
    return every_answer(Model(statements), jobs=JOBS, datasets=DATASETS, runs=RUNS, times=times)


def differences(answers, right):
    """What differs, by question: few are told, for one wrong fact makes many wrong answers."""
    wrong = [question for question in right if answers.get(question) != right[question]]
    return {question: (answers.get(question), right[question]) for question in wrong[:3]}
