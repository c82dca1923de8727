"""Every question about the columns of `strategies`, of the model and of what the loaders made."""

from __future__ import annotations

from lineage.queries.columns.results import TimeRange
from lineage.queries.service import FieldQuestions
from tests.fields_model import FieldModel
from tests.runs_model.results import rendered
from tests.unit.graph.strategies import DATASETS, JOBS, TIMES
from tests.unit.queries.columns.strategies import COLUMNS
from tests.unit.queries.every_query import loaded

_ALL = 9
# Two pasts are enough: one in the middle, one near the end.
_TIMES = TIMES[2::2]
WINDOWS = (TimeRange(TIMES[0], TIMES[3]), TimeRange(TIMES[1], "2025-11-21T00:00:00.000000Z"))
# One that schemas alone name.
_FIELDS = (*COLUMNS, "co2")


def field_ids():
    return [f"datasetField:{one.namespace}:{one.name}:{path}" for one in DATASETS for path in _FIELDS]


def every_answer(questions, versions):
    """The answers as JSON text by the question asked; `versions` are (node id, version) of datasets, fields, jobs."""
    asked = _Asked(questions)
    for node in [*(one.node_id for one in (*JOBS, *DATASETS)), *field_ids()]:
        asked.columns(node, depth=_ALL)
        for depth in (1, _ALL):
            asked.columns(node, depth=depth, downstream=True)
        for time in _TIMES:
            asked.columns(node, depth=_ALL, at=time)
    for node, version in versions:
        asked.columns(f"{node}#{version}", depth=_ALL)
    for dataset in DATASETS:
        asked.mappings(dataset)
    asked.columns_of()
    return asked.answers


class _Asked:
    """What was asked, and the answers."""

    def __init__(self, questions):
        self.answers = {}
        self._questions = questions

    def columns(self, node, **how):
        self.answers[f"find_columns {node} {how}"] = rendered(self._questions.find_columns(node, **how))

    def mappings(self, dataset):
        for window in WINDOWS:
            for level in (1, _ALL):
                found = self._questions.find_mappings(dataset, window, level=level)
                self.answers[f"find_mappings {dataset.node_id} {window} {level}"] = rendered(found)

    def columns_of(self):
        for dataset, found in self._questions.columns_of(DATASETS).items():
            self.answers[f"columns_of {dataset.node_id}"] = rendered(found)


def versions_in(model):
    """(node id, version) of every version that the model of runs knows, with those of its fields, and of jobs."""
    found = []
    for dataset in DATASETS:
        for one in model.list_dataset_versions(dataset).items if model.find_dataset(dataset) else ():
            ids = [f"datasetField:{dataset.namespace}:{dataset.name}:{path}" for path in _FIELDS]
            found += [(node, one.version) for node in (dataset.node_id, *ids)]
    for job in JOBS:
        for one in model.list_job_versions(job).items if model.find_job(job) else ():
            found.append((job.node_id, one.version))
    return found


def right_answers(statements):
    """The model's answers to all questions that are answered exactly, whatever was said."""
    model = FieldModel(statements)
    right = every_answer(model, versions_in(model.runs))
    if not is_remembered(statements):
        right = {question: answer for question, answer in right.items() if "'at'" not in question}
    return right


def is_remembered(statements):
    """Whether every time is: a known limit is a facet that went back to what it had been before (docs/api.md).

    Such a facet is taken as said all the while, so that at a time in between it may cover what was said then. Other
    names of a dataset tell of it, too: schemas are looked at as if all were one's.
    """
    said = {}
    for one in sorted(statements, key=lambda one: (one.time, one.hash)):
        for use in (*getattr(one, "inputs", ()), *getattr(one, "outputs", ()), getattr(one, "dataset", None)):
            for name, body in getattr(use, "facets", {}).items():
                about = "all" if name == "schema" else (getattr(one, "run", None), use.dataset)
                contents = said.setdefault((about, name), [])
                content = repr(body)
                if content in contents[:-1] and content != contents[-1]:
                    return False
                contents.append(content)
    return True


def answers_of(table, statements):
    return every_answer(FieldQuestions(table), versions_in(FieldModel(statements).runs))


def questions_of(statements):
    return FieldQuestions(loaded(statements))
