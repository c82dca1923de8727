"""The types of fields in a time range: from operations, the newest first, else from the current schemas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from headwater.queries.ranges.runs_in_range import RunColumns
from headwater.queries.results.columns import Detail, DetailNode, SimpleEdge
from headwater.queries.view import GraphView
from headwater.queries.view.descriptions import read_facets, schema_of
from headwater_model.columns import Column
from headwater_model.field_paths import parse_slashed
from headwater_model.ids import DatasetId, FieldPath, RunKey

# Datasets with schemas to read: to choose among several schemas may take nine requests.
TYPED_MAX = 200


class FieldTypes:
    """The types of the loaded datasets shown in full."""

    def __init__(self, view: GraphView) -> None:
        self._view = view
        self._reported: dict[Column, tuple[str, RunKey, str]] = {}
        self._schemas: dict[DatasetId, Mapping[FieldPath, str | None]] = {}
        self.truncated = False

    def add_report(self, report: RunColumns) -> None:
        """Take the types of a report; a newer report wins."""
        for path, kind in report.columns.types.items():
            column, given = Column(report.dataset, path), (report.run.started, report.run.key, kind)
            self._reported[column] = max(given, self._reported.get(column, given))

    def load_schemas(self, datasets: Iterable[DatasetId]) -> None:
        """Read the schemas of the datasets; a dataset with a single schema ever costs no request."""
        requested = sorted(set(datasets))
        self._view.load_names(requested)
        opened = list(filter(self._view.shows, requested))
        self.truncated |= len(opened) > TYPED_MAX
        shown = opened[:TYPED_MAX]
        facets = read_facets(list(map(self._view.group, shown)), self._view)
        self._schemas = {
            dataset: schema_of(dataset_facets).types for dataset, dataset_facets in zip(shown, facets, strict=True)
        }

    def of(self, dataset: DatasetId, path: FieldPath) -> str | None:
        """Look up the type of a field; None if nothing gives it."""
        if dataset not in self._schemas:
            return None
        reported = self._reported.get(Column(dataset, path))
        return reported[2] if reported else self._schemas[dataset].get(path)

    def typed_node(self, node: DetailNode) -> DetailNode:
        """Give the node the type from its operation, else the type of its field in the endpoint's dataset."""
        dataset = node.source or node.destination
        if node.type is not None or dataset is None:
            return node
        return replace(node, type=self.of(dataset, parse_slashed(node.label)))

    def typed_edge(self, edge: SimpleEdge) -> SimpleEdge:
        """Give the edge the type of its source field."""
        return replace(edge, type=self.of(edge.source, edge.field))

    def typed(self, detail: Detail) -> Detail:
        """Give types to the detail's nodes."""
        self.load_schemas(endpoints_of(detail.nodes))
        cut = detail.truncated or self.truncated
        return replace(detail, nodes=tuple(map(self.typed_node, detail.nodes)), truncated=cut)


def endpoints_of(nodes: Iterable[DetailNode]) -> set[DatasetId]:
    """Collect the endpoints of the nodes: datasets of reads and writes."""
    return {endpoint for node in nodes for endpoint in (node.source, node.destination) if endpoint is not None}
