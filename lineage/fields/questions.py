"""Every question about fields that a dialect may ask; answers are shapes of `found`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lineage.fields.columns import Column
from lineage.fields.found import (
    ColumnGraph,
    Detail,
    Direction,
    FoundColumn,
    Mappings,
    Origins,
    Paths,
    Provenance,
    Usage,
    Window,
)
from lineage.names import DatasetId, FieldPath
from lineage.runs.facts.table import GraphTable


class FieldQuestions:
    """What can be asked of a graph table; nothing is remembered from one question to the next."""

    def __init__(self, table: GraphTable) -> None:
        self._table = table

    def find_columns(
        self,
        node_id: str,
        *,
        depth: int,
        downstream: bool = False,
        at: str | None = None,
        version: str | None = None,
    ) -> ColumnGraph | None:
        """The graph of columns around a dataset, a field or a job: now, as of a time, or upstream of a version.

        Depth 0 is what was asked with its sources told; each more adds the sources of those before as nodes, and with
        `downstream` what is made of them. None if the node is unknown.

        Raises:
            Invalid: the node id cannot be read, or selectors disagree (a version or time with `downstream`, ...).
        """
        raise NotImplementedError

    def columns_of(self, datasets: Sequence[DatasetId]) -> Mapping[DatasetId, tuple[FoundColumn, ...]]:
        """The columns of these datasets (primary names) that are made of others, as they are now."""
        raise NotImplementedError

    def find_field(self, node_id: str) -> Column | None:
        """The field of a node id (`datasetField:...`), under its dataset's primary name; None if it is unknown.

        Raises:
            Invalid: the node id is no field's.
        """
        raise NotImplementedError

    def find_mappings(self, dataset: DatasetId, window: Window, *, level: int) -> Mappings:
        """Which fields went into which, up and down from a dataset, `level` datasets far in each direction."""
        raise NotImplementedError

    def find_detail(self, dataset: DatasetId, field: FieldPath, window: Window, direction: Direction) -> Detail:
        """The operations of one level that made the field, or took it."""
        raise NotImplementedError

    def find_paths(self, dataset: DatasetId, field: FieldPath, window: Window) -> Paths:
        """The distinct ways in which the field was made."""
        raise NotImplementedError

    def report_usage(self, dataset: DatasetId, field: FieldPath, window: Window) -> Usage:
        """How the field was consumed: who used it, and what it flowed into."""
        raise NotImplementedError

    def report_provenance(self, dataset: DatasetId, field: FieldPath, window: Window) -> Provenance:
        """What the field came from, up to the true sources."""
        raise NotImplementedError

    def find_origins(self, node_id: str) -> Origins | None:
        """From a field (`datasetField:...`, of a version with `#`) down to runs and record roots; None if unknown."""
        raise NotImplementedError
