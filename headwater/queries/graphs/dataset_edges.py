"""Edges between datasets that no job makes: the last DatasetEvent of a dataset says what it is made of (a view).

The events that count have a `lineage` or a `columnLineage` facet. A declaration is walked as a job would be: from its
sources to its dataset, and back.

    edges = DatasetEdges(loaded)
    edges.load_edges(groups)       # datasets of the loaded graph
    edges.derived(group)     # the visible datasets that are made of this one
"""

from __future__ import annotations

from collections.abc import Iterable, Set

from headwater.facts.facts import DatasetFacts, dataset_of
from headwater.queries.loaded_graph import LoadedGraph
from headwater.queries.resolve import ResolvedDataset
from headwater_model.ids import DatasetId

# Datasets that may be made of one dataset, the first by name, that are read.
DERIVED_MAX = 1_000
# Datasets that are read for the declared edges of one graph.
READ_MAX = 10_000


def declared_sources(facts: DatasetFacts) -> set[DatasetId]:
    """Return the sources of a dataset by its last declaration, under the names that the declaration used."""
    if not facts.declarations:
        return set()
    last = facts.declarations[max(facts.declarations)]
    return {dataset_of(source) for sources in last["outputs"].values() for source in sources}


class DatasetEdges:
    """The declared edges of datasets that are loaded; `truncated`: there may be more than were read."""

    def __init__(self, loaded: LoadedGraph) -> None:
        self._loaded = loaded
        self._read: set[DatasetId] = set()
        self.truncated = False

    def load_edges(self, groups: Iterable[ResolvedDataset]) -> None:
        """Read the datasets that may be made of these, and the sources of these."""
        names: set[DatasetId] = set()
        for group in groups:
            derived = sorted(group.derived)
            self.truncated |= len(derived) > DERIVED_MAX
            names.update(derived[:DERIVED_MAX], declared_sources(group.facts))
        new = sorted(names - self._read)
        left = READ_MAX - len(self._read)
        self.truncated |= len(new) > left
        if new[:left]:
            self._loaded.load(new[:left], readers=False, onward=False)
            self._read.update(new[:left])

    def derived(self, group: ResolvedDataset) -> list[ResolvedDataset]:
        """Return the visible datasets that are made of a dataset for which `load` was called, by name."""
        made_of = set(group.names)
        possible = self._visible(group, group.derived)
        return [dataset for dataset in possible if not made_of.isdisjoint(declared_sources(dataset.facts))]

    def sources(self, group: ResolvedDataset) -> list[ResolvedDataset]:
        """Return the visible sources of a dataset for which `load` was called, by name."""
        return self._visible(group, declared_sources(group.facts))

    def _visible(self, group: ResolvedDataset, names: Set[DatasetId]) -> list[ResolvedDataset]:
        """Return the visible datasets of these names that were read, each once, without the dataset itself."""
        return [other for other in self._loaded.datasets(names & self._read) if other.primary != group.primary]
