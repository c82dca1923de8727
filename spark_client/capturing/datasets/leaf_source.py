"""Source that a leaf of a plan reads: its datasets, and what is known of their columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from headwater_model.ids import DatasetId
from spark_client.capturing.datasets.catalogs import Catalogs
from spark_client.capturing.model import Dataset, SchemaField
from spark_client.capturing.plans.operators import RowsLineage
from spark_client.capturing.plans.plan import Node

# A relation with more paths than this is named by their folders: an event has no room for more inputs with columns.
PLACES_MAX = 1_000


@dataclass(frozen=True, slots=True)
class LeafSource:
    """Source of a leaf. Each column is the column of that name of each dataset; without datasets, made of nothing.

    `unknown` is the reason why its columns have unknown sources; datasets that are there nevertheless are read. Of
    `merged` datasets each has the columns of its own schema alone; a dataset without a schema may have any. `columns`
    returns the columns of a query, by the leaf's outputs; `unnamed` is the reason why it has reads without a name.
    `absent` columns are in no file.
    """

    datasets: tuple[Dataset, ...] = ()
    unknown: str | None = None
    merged: bool = False
    columns: Callable[[Sequence[Node]], RowsLineage] | None = None
    unnamed: str | None = None
    absent: frozenset[str] = frozenset()

    @property
    def unknown_inputs(self) -> tuple[str, ...]:
        """Reasons why an input has no name; empty if it has one, or nothing is read."""
        reason = self.unknown if not self.datasets else self.unnamed
        return (reason,) if reason is not None else ()


def find_paths(paths: Sequence[str], catalogs: Catalogs, schema: Sequence[SchemaField] = ()) -> LeafSource | None:
    """Return the datasets at paths, each once; above a bound, their folders."""
    named = dict.fromkeys(catalogs.find_path(path) for path in paths)
    while len(named) > PLACES_MAX:
        folders = dict.fromkeys(_folder_of(dataset) for dataset in named)
        if folders == named:
            break
        named = folders
    return all_of(Dataset(dataset, tuple(schema)) for dataset in named if dataset)


def all_of(members: Iterable[Dataset]) -> LeafSource | None:
    """Return the source of these datasets; None if there are none."""
    datasets = tuple(members)
    return LeafSource(datasets) if datasets else None


def _folder_of(named: DatasetId | None) -> DatasetId | None:
    folder = named.name.rpartition("/")[0] if named else ""
    return DatasetId(named.namespace, folder) if named and folder else named
