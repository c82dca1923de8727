"""Queries of fields and datasets over the runs that started in a time range."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from headwater.queries.ranges.accesses import AccessWalk
from headwater.queries.ranges.field_operations import find_operations
from headwater.queries.ranges.mappings import MappingWalk
from headwater.queries.ranges.near_fields import list_fields, summarize_dataset, summarize_field
from headwater.queries.ranges.operation_paths import find_detail, find_paths
from headwater.queries.ranges.reports import report_provenance, report_tag, report_usage
from headwater.queries.renamed import result_by_field, result_if_known
from headwater.queries.results.cdap import Accesses, DatasetSummary, FieldOperations, FieldSummary, ListedFields
from headwater.queries.results.columns import Detail, FieldOperationPaths, Mappings, TimeRange
from headwater.queries.results.graphs import Direction
from headwater.queries.results.reports import Provenance, TagUsage, Usage
from headwater.queries.view import GraphView, Queries
from headwater_model.columns import Column
from headwater_model.ids import DatasetId, FieldPath

_T = TypeVar("_T")


class TimeRangeQueries(Queries):
    """Queries of a time range over a graph table; an unknown dataset or field has an empty result."""

    def find_mappings(self, dataset: DatasetId, time_range: TimeRange, *, level: int) -> Mappings:
        """Find field mappings upstream and downstream of a dataset, up to `level` datasets away."""
        return self._of(dataset, lambda view, name: MappingWalk(view, time_range).walk(name, level))

    def find_detail(self, dataset: DatasetId, field: FieldPath, time_range: TimeRange, direction: Direction) -> Detail:
        """Draw the operations, a level away, before or after the field."""
        return self._of_field(
            dataset, field, lambda view, column: find_detail(view, column.dataset, column.field, time_range, direction)
        )

    def find_paths(self, dataset: DatasetId, field: FieldPath, time_range: TimeRange) -> FieldOperationPaths:
        """List the distinct operation paths to the field."""
        return self._of_field(
            dataset, field, lambda view, column: find_paths(view, column.dataset, column.field, time_range)
        )

    def report_usage(self, dataset: DatasetId, field: FieldPath, time_range: TimeRange) -> Usage:
        """Report the jobs that used the field, and the columns derived from it."""
        return report_usage(self.view(), Column(dataset, field), time_range)

    def report_tag(self, tag: str, time_range: TimeRange) -> TagUsage:
        """Report the columns with the tag, and the unmasked columns derived from them by runs of the time range."""
        return report_tag(self.view(), tag, time_range)

    def report_provenance(self, dataset: DatasetId, field: FieldPath, time_range: TimeRange) -> Provenance:
        """Report the columns upstream of the field, up to its root sources."""
        return report_provenance(self.view(), Column(dataset, field), time_range)

    def list_fields(self, dataset: DatasetId, time_range: TimeRange, *, current: bool) -> ListedFields:
        """List the fields of a dataset with lineage; with `current`, also the columns of its schema."""
        return self._of(dataset, lambda view, name: list_fields(view, name, time_range, current=current))

    def summarize_field(
        self, dataset: DatasetId, field: FieldPath, time_range: TimeRange, direction: Direction
    ) -> FieldSummary:
        """List the fields, a hop away, before and after the field."""
        return self._of_field(dataset, field, lambda view, column: summarize_field(view, column, time_range, direction))

    def find_operations(
        self, dataset: DatasetId, field: FieldPath, time_range: TimeRange, direction: Direction
    ) -> FieldOperations:
        """List the whole operations, a hop away, before and after the field."""
        return self._of_field(dataset, field, lambda view, column: find_operations(view, column, time_range, direction))

    def summarize_dataset(self, dataset: DatasetId, time_range: TimeRange, direction: Direction) -> DatasetSummary:
        """Find the fields of a dataset with their relations a hop away."""
        return self._of(dataset, lambda view, name: summarize_dataset(view, name, time_range, direction))

    def find_accesses(
        self, dataset: DatasetId, time_range: TimeRange, *, levels: int, rolled_up: bool = False
    ) -> Accesses:
        """List the accesses of runs to datasets around the dataset, `levels` datasets and jobs away."""
        return self._of(
            dataset, lambda view, name: AccessWalk(view, time_range).walk(name, levels, rolled_up=rolled_up)
        )

    def _of(self, dataset: DatasetId, query: Callable[[GraphView, DatasetId], _T]) -> _T:
        """Query a dataset, under its name by the rules if only this name is known."""
        view = self.view()
        return result_if_known(dataset, lambda name: query(view, name), view)

    def _of_field(self, dataset: DatasetId, field: FieldPath, query: Callable[[GraphView, Column], _T]) -> _T:
        """Query a field, by the names of field and dataset in the rules if only these names are known."""

        def of_dataset(view: GraphView, name: DatasetId) -> _T:
            return result_by_field(name, field, lambda path: query(view, Column(name, path)), view)

        return self._of(dataset, of_dataset)
