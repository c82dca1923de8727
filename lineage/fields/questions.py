"""Every question about fields that a dialect may ask; answers are shapes of `found`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from typing_extensions import Unpack

from lineage.fields.answers.asked import columns_now, columns_of_version, columns_then
from lineage.fields.answers.column_graph import SOURCES_MAX, ColumnWalk, told_columns
from lineage.fields.answers.column_search import search_columns
from lineage.fields.answers.column_versions import VersionWalk
from lineage.fields.answers.details import find_detail, find_paths
from lineage.fields.answers.mappings import MappingWalk
from lineage.fields.answers.origins import find_origins
from lineage.fields.answers.present import Present
from lineage.fields.answers.reports import report_provenance, report_usage
from lineage.fields.columns import Column
from lineage.fields.found import (
    ColumnGraph,
    ColumnHit,
    Detail,
    Direction,
    Mappings,
    Origins,
    Paths,
    Provenance,
    Usage,
    Window,
)
from lineage.names import DatasetId, FieldPath, JobId
from lineage.runs.answers.node_ids import FieldNode, Node, field_candidates, nodes_named
from lineage.runs.answers.selectors import selected_version
from lineage.runs.facts.table import GraphTable
from lineage.runs.found import Listed, SearchOptions
from lineage.runs.visibility import EVERYTHING, Visibility


class FieldQuestions:
    """The questions that a graph table answers; nothing is remembered from one question to the next.

    `visibility` bounds searches and node ids, and what is shown of neighbours.
    """

    def __init__(self, table: GraphTable, visibility: Visibility = EVERYTHING) -> None:
        self._table, self._visibility = table, visibility

    def seen_by(self, visibility: Visibility) -> FieldQuestions:
        """Return the same questions as a caller may ask them."""
        return FieldQuestions(self._table, visibility)

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
        for node in nodes_named(node_id, self._table, self._visibility):
            of_job = isinstance(node, Node) and isinstance(node.id, JobId)
            wanted = selected_version(node.version, version, at, of_job=of_job, downstream=downstream)
            graph = self._graph(node, wanted, at, depth=depth, downstream=downstream)
            if graph is not None:
                return graph
        return None

    def _graph(
        self, node: FieldNode | Node, version: str | None, at: str | None, *, depth: int, downstream: bool
    ) -> ColumnGraph | None:
        if version is None and at is None:
            walk = ColumnWalk(self._table, self._visibility)
            asked = columns_now(node, walk, downstream=downstream)
            return None if asked is None else walk.graph(asked, depth=depth, downstream=downstream)
        past = VersionWalk(self._table, self._visibility)
        if version is not None:
            nodes = columns_of_version(node, version, past, self._table)
        else:
            nodes = columns_then(node, at or "", past, self._table)
        return None if nodes is None else past.graph(nodes, depth=depth)

    def find_field(self, node_id: str) -> Column | None:
        """The column of an id (`datasetField:...`), under its dataset's primary name; None if it is unknown now.

        Raises:
            Invalid: the id cannot be read as a field's.
        """
        walk = ColumnWalk(self._table)
        candidates = field_candidates(node_id, self._table, self._visibility)
        return next((one for node in candidates if (one := walk.exists(node.dataset, node.field))), None)

    def search_columns(self, text: str, **options: Unpack[SearchOptions]) -> Listed[ColumnHit]:
        """Return the columns whose names hold the text."""
        return search_columns(text, self._table, visibility=self._visibility, **options)

    def columns_of(self, datasets: Sequence[DatasetId]) -> Mapping[DatasetId, ColumnGraph]:
        """By dataset, under whatever name, its columns that are made of others, as they are now; cut as a whole."""
        present = Present(self._table)
        present.load(datasets)
        room = SOURCES_MAX
        found = {}
        for dataset in datasets:
            entry = present.entry(dataset)
            columns = told_columns(entry, room) if entry else ColumnGraph(())
            room -= sum(len(one.inputs) for one in columns.columns)
            found[dataset] = columns
        return found

    def find_mappings(self, dataset: DatasetId, window: Window, *, level: int) -> Mappings:
        """Which fields went into which, up and down from a dataset, `level` datasets far in each direction."""
        return MappingWalk(self._table, window, self._visibility).walk(dataset, level)

    def find_detail(self, dataset: DatasetId, field: FieldPath, window: Window, direction: Direction) -> Detail:
        """The operations of one level that made the field, or took it."""
        return find_detail(self._table, dataset, field, window, direction)

    def find_paths(self, dataset: DatasetId, field: FieldPath, window: Window) -> Paths:
        """The distinct ways in which the field was made."""
        return find_paths(self._table, dataset, field, window)

    def report_usage(self, dataset: DatasetId, field: FieldPath, window: Window) -> Usage:
        """How the field was consumed: who used it, and what it flowed into."""
        return report_usage(self._table, Column(dataset, field), window, self._visibility)

    def report_provenance(self, dataset: DatasetId, field: FieldPath, window: Window) -> Provenance:
        """What the field came from, up to the true sources."""
        return report_provenance(self._table, Column(dataset, field), window, self._visibility)

    def find_origins(self, node_id: str) -> Origins | None:
        """From a field (`datasetField:...`, of a version with `#`) down to runs and record roots; None if unknown."""
        return find_origins(node_id, self._table, self._visibility)
