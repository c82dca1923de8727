"""Source of a plan's leaf: its datasets, with their columns as far as known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from headwater_model.ids import DatasetId
from spark_client.capturing.datasets.catalogs import Catalogs
from spark_client.capturing.model import Dataset, SchemaField
from spark_client.capturing.plans.operators import RowsLineage
from spark_client.capturing.plans.plan import Node

# A relation of more paths is named by their folders: an event has no room for more inputs with columns.
PLACES_MAX = 1_000


@dataclass(frozen=True, slots=True)
class LeafSource:
    """Source of a leaf: each column is read from the same column of each dataset.

    Attributes:
        datasets: read datasets; without any, the columns are made of nothing.
        unknown: reason for columns with unknown sources; the datasets are read nevertheless.
        merged: True if each dataset has the columns of its own schema alone; without a schema, any column.
        columns: reader of the columns of a query, by the leaf's outputs.
        unnamed: reason for reads without a name, beside the datasets.
        absent: columns in no file.
    """

    datasets: tuple[Dataset, ...] = ()
    unknown: str | None = None
    merged: bool = False
    columns: Callable[[Sequence[Node]], RowsLineage] | None = None
    unnamed: str | None = None
    absent: frozenset[str] = frozenset()

    @property
    def unknown_inputs(self) -> tuple[str, ...]:
        """Reasons for an input without a name; empty if each input has a name."""
        reason = self.unknown if not self.datasets else self.unnamed
        return (reason,) if reason is not None else ()


def find_paths(paths: Sequence[str], catalogs: Catalogs, schema: Sequence[SchemaField] = ()) -> LeafSource | None:
    """Name the datasets at paths, each once; above a bound, their folders.

    >>> source = find_paths(["s3a://lake/flights/day=2013-01-01", "s3a://lake/flights"], Catalogs())
    >>> [dataset.id for dataset in source.datasets]
    [DatasetId(namespace='s3://lake', name='flights')]
    """
    named = dict.fromkeys(catalogs.find_path(path) for path in paths)
    while len(named) > PLACES_MAX:
        folders = dict.fromkeys(_folder_of(dataset) for dataset in named)
        if folders == named:
            break
        named = folders
    return all_of(Dataset(dataset, tuple(schema)) for dataset in named if dataset)


def all_of(members: Iterable[Dataset]) -> LeafSource | None:
    """Make the source of the datasets; None without any."""
    datasets = tuple(members)
    return LeafSource(datasets) if datasets else None


def _folder_of(named: DatasetId | None) -> DatasetId | None:
    folder = named.name.rpartition("/")[0] if named else ""
    return DatasetId(named.namespace, folder) if named and folder else named
