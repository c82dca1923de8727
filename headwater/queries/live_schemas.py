"""The schemas of datasets that exist now."""

from __future__ import annotations

from collections.abc import Iterable

from headwater.queries.current_facets import read_facets
from headwater.queries.descriptions import Schema, describe, schema_of
from headwater.queries.loaded_graph import LoadedGraph
from headwater.queries.resolve import ResolvedDataset
from headwater.queries.view import GraphView
from headwater_model.ids import DatasetId


def read_live_schemas(groups: Iterable[ResolvedDataset], view: GraphView) -> dict[DatasetId, Schema | None]:
    """Return the current schema of each dataset, by its primary name; None if the dataset was deleted or dropped."""
    datasets, loaded = list(groups), LoadedGraph(view)
    loaded.load(namespaces=[group.primary.namespace for group in datasets])
    described = zip(datasets, read_facets(datasets, view), strict=True)
    return {
        group.primary: None if loaded.hides(group) or describe(facets)["lifecycle"] == "DROP" else schema_of(facets)
        for group, facets in described
    }
