"""Results of the queries known from CDAP; times are normalized as in `headwater.times`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from headwater_model.ids import DatasetId, FieldPath, JobId
from headwater_model.operations import Operation

Access: TypeAlias = Literal["read", "write"]


@dataclass(frozen=True, slots=True)
class ListedField:
    """A field of a dataset; without lineage, the dataset's schema alone has it."""

    field: FieldPath
    has_lineage: bool


@dataclass(frozen=True, slots=True)
class ListedFields:
    """The fields of a dataset, by path."""

    items: tuple[ListedField, ...]
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class DatasetFields:
    """Fields of a dataset, not always all."""

    dataset: DatasetId
    fields: tuple[FieldPath, ...]


@dataclass(frozen=True, slots=True)
class FieldSummary:
    """The sources of a field, and the fields derived from it; None on a side that was not requested.

    `dropped`: an operation dropped the field, or a field derived from it.
    """

    incoming: tuple[DatasetFields, ...] | None = None
    outgoing: tuple[DatasetFields, ...] | None = None
    dropped: bool = False
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class FieldRelations:
    """Pairs of a source field and a destination field between a dataset and its `neighbour`.

    `field_count` counts the fields of the neighbour with lineage; None where the caller may not see them.
    """

    neighbour: DatasetId
    pairs: tuple[tuple[FieldPath, FieldPath], ...]
    field_count: int | None


@dataclass(frozen=True, slots=True)
class DatasetSummary:
    """The fields of a dataset with all their relations, and the fields dropped by operations."""

    dataset: DatasetId
    fields: tuple[FieldPath, ...]
    incoming: tuple[FieldRelations, ...] = ()
    outgoing: tuple[FieldRelations, ...] = ()
    dropped: tuple[FieldPath, ...] = ()
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class LastStart:
    """The start of a job's newest run with such operations; None where the caller may not see it."""

    job: JobId
    started: str | None


@dataclass(frozen=True, slots=True)
class MakingOperations:
    """Whole operations in the order of execution, and the jobs with such runs, the last started first."""

    operations: tuple[Operation, ...]
    jobs: tuple[LastStart, ...]


@dataclass(frozen=True, slots=True)
class FieldOperations:
    """The operations before and after a field, each set once and the newest run's first.

    None on a side that was not requested.
    """

    incoming: tuple[MakingOperations, ...] | None = None
    outgoing: tuple[MakingOperations, ...] | None = None
    truncated: bool = False


@dataclass(frozen=True, order=True, slots=True)
class Relation:
    """A run's access to a dataset; no run if the caller may not see it.

    `rolled_up`: the job and the run are the root's.
    """

    dataset: DatasetId
    job: JobId
    access: Access
    run: str | None
    rolled_up: bool = False


@dataclass(frozen=True, slots=True)
class Accesses:
    """The accesses of runs to datasets around a dataset."""

    items: tuple[Relation, ...]
    truncated: bool = False
