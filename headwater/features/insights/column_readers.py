"""The readers of each column of a dataset, now: in a single walk a job down, in place of a report for each column.

readers = report_column_readers("dataset:s3://flights:checked", view)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from headwater.queries.columns.column_graph import ColumnWalk
from headwater.queries.graphs.node_ids import find_node
from headwater.queries.view import GraphView
from headwater_model.columns import Column
from headwater_model.errors import Invalid
from headwater_model.ids import DatasetId, FieldPath, JobId

# Steps from a column to a derived column read for a report.
STEPS_MAX = 200_000


@dataclass(slots=True)
class ColumnReaders:
    """The jobs that derive columns from a column, and the derived columns."""

    path: FieldPath
    jobs: set[JobId] = field(default_factory=set)
    derived: set[Column] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Readers:
    """The readers of each column, in the order of the schema.

    The `unreported` jobs read the dataset without a report of columns: they may read any column.
    """

    dataset: DatasetId
    columns: Sequence[ColumnReaders]
    unreported: frozenset[JobId]
    truncated: bool


def report_column_readers(node_id: str, view: GraphView) -> Readers | None:
    """Report the readers of a dataset's columns; None if the dataset is unknown or hidden.

    Raises:
        Invalid: the node id cannot be read, or names a job or a version.
    """
    node = find_node(node_id, view)
    if node is None:
        return None
    if not isinstance(node.id, DatasetId) or node.version:
        raise Invalid.because("nodeId", node_id, "must name a dataset, without a version")
    columns = view
    entry = columns.find_columns(node.id)
    if entry is None:
        return None
    walk, dataset = ColumnWalk(columns), entry.group.primary
    readers = {path: ColumnReaders(path) for path in entry.paths}
    unreported, truncated = set[JobId](), False
    for number, step in enumerate(walk.steps_from([Column(dataset, path) for path in readers])):
        if number == STEPS_MAX:
            truncated = True
            break
        if step.source.field is None:
            unreported.update({step.job} if step.job else ())
            continue
        of_column = readers[step.source.field]
        of_column.jobs.update({step.job} if step.job else ())
        if step.derived.field is not None:
            of_column.derived.add(Column(step.derived.dataset, step.derived.field))
    return Readers(dataset, list(readers.values()), frozenset(unreported), truncated or walk.truncated)
