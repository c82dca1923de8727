"""Results of queries of columns; times are normalized as in `headwater.times`."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.facts.run_facts import Run
from headwater.queries.results.entities import LastWriter
from headwater_model.columns import Column, Transformation
from headwater_model.ids import DatasetId, FieldPath, JobId, RunKey

UNKNOWN_TYPE = "unknown"


@dataclass(frozen=True, slots=True)
class TimeRange:
    """The runs that started from `start` on and before `end`."""

    start: str
    end: str


# The graph of columns, as in Marquez


@dataclass(frozen=True, slots=True)
class ColumnInput:
    """A source that a column depends on; `field` is None if the column of the dataset is unknown.

    `version` is set in a graph of versions. In other graphs `read_version` is the version read by the reporters; None
    if they read several.
    """

    dataset: DatasetId
    field: FieldPath | None
    transformations: tuple[Transformation, ...] = ()
    version: str | None = None
    read_version: str | None = None


@dataclass(frozen=True, slots=True)
class Reporter:
    """The reporting run of a column, and its version of the dataset; `declared`: a Job- or DatasetEvent, no run."""

    run: RunKey
    job: JobId | None
    version: str | None
    declared: bool = False


@dataclass(frozen=True, slots=True)
class ColumnNode:
    """A node: `inputs` are all its source columns, `dependencies` the sources of its whole dataset.

    `outputs` are the columns derived from it, if they were requested. `version` is set on nodes of a graph of versions.
    `type` is `unknown` where no report or schema has it; `schema_known`: a schema facet lists the dataset's columns;
    `place`: the place of the column, or of the column around the field, in the schema, from 1.
    """

    dataset: DatasetId
    field: FieldPath
    version: str | None = None
    type: str = UNKNOWN_TYPE
    schema_known: bool = False
    place: int | None = None
    inputs: tuple[ColumnInput, ...] = ()
    dependencies: tuple[ColumnInput, ...] = ()
    outputs: tuple[Column, ...] = ()
    reporters: tuple[Reporter, ...] = ()
    stale: bool = False
    last_written_by: LastWriter | None = None
    # True if only the id is shown: a neighbour in a namespace hidden from the caller.
    outline: bool = False


@dataclass(frozen=True, slots=True)
class ColumnGraph:
    """Columns, each once (in a graph of versions: each version once), nearest to the requested columns first."""

    columns: tuple[ColumnNode, ...]
    truncated: bool = False


# Runs of a time range, as in CDAP


@dataclass(frozen=True, slots=True)
class FieldMapping:
    """Pairs of source and destination fields of two datasets; no pairs where no run reported any."""

    source: DatasetId
    destination: DatasetId
    pairs: tuple[tuple[FieldPath, FieldPath], ...]


@dataclass(frozen=True, slots=True)
class Mappings:
    """Mappings by (source, destination), both directions; `truncated`: there was more.

    `types` are the types of the mapped fields, as far as operations or a schema give a type.
    """

    items: tuple[FieldMapping, ...]
    truncated: bool = False
    types: tuple[tuple[Column, str], ...] = ()


@dataclass(frozen=True, slots=True)
class DetailNode:
    """A field at a point of its path: `id` is `<origin>.<field>`; with its endpoint if it was read or written there.

    Descriptions of endpoints, here and below, come from the newest run on the path.
    """

    id: str
    label: str
    source: DatasetId | None = None
    destination: DatasetId | None = None
    source_description: str | None = None
    destination_description: str | None = None
    type: str | None = None


@dataclass(frozen=True, slots=True)
class DetailOperation:
    """An operation on a field's path."""

    name: str
    description: str | None = None


@dataclass(frozen=True, slots=True)
class Connection:
    """A connection of two nodes: the operation derived the destination from the origin."""

    origin: str
    destination: str
    operation: str


@dataclass(frozen=True, slots=True)
class Detail:
    """A field's paths through the operations of a level, in one direction or both."""

    nodes: tuple[DetailNode, ...] = ()
    operations: tuple[DetailOperation, ...] = ()
    connections: tuple[Connection, ...] = ()
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class PathOperation:
    """An operation of a path: names of its input and output fields; `source` is the dataset of a read."""

    name: str
    description: str | None
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    source: DatasetId | None = None
    source_description: str | None = None


@dataclass(frozen=True, slots=True)
class SimpleEdge:
    """A source field of the field, and the names of the operations between, in order."""

    source: DatasetId
    field: FieldPath
    operations: tuple[str, ...]
    source_description: str | None = None
    type: str | None = None


@dataclass(frozen=True, slots=True)
class FieldOperationPath:
    """A path to a field, as operations and as edges, and its runs, newest first.

    `destination` is the field's endpoint. `nodes` and `connections` are the detailed view: every field on the path, and
    the operations that connect the fields.
    """

    operations: tuple[PathOperation, ...]
    edges: tuple[SimpleEdge, ...]
    runs: tuple[str, ...]
    nodes: tuple[DetailNode, ...] = ()
    connections: tuple[Connection, ...] = ()
    destination: DatasetId | None = None
    destination_description: str | None = None


@dataclass(frozen=True, slots=True)
class FieldOperationPaths:
    """The distinct paths to a field, the newest run's first; `type` is the field's."""

    items: tuple[FieldOperationPath, ...]
    truncated: bool = False
    type: str | None = None


# Origins: from a column to records


@dataclass(frozen=True, slots=True)
class Origin:
    """A version of a column's dataset: its run, and the record roots reported by the run.

    Without reported roots, the roots are the parent run's; `reported_by` is the run with the report.
    """

    version: str
    run: Run | None
    roots: tuple[str, ...]
    reported_by: str | None = None


@dataclass(frozen=True, slots=True)
class Origins:
    """A column, and the last versions by its writers (or the requested version)."""

    column: Column
    versions: tuple[Origin, ...]
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class ColumnHit:
    """A column with a matching name, the time of its dataset's last update, and its type if it is known."""

    dataset: DatasetId
    field: FieldPath
    updated: str
    type: str | None = None
