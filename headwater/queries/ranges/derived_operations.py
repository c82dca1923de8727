"""Column lineage facets of OpenLineage as operations, for CDAP's queries of field operations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from headwater_model.columns import Column, ColumnLineage, ColumnSource, Sources, Transformation, in_order
from headwater_model.field_paths import print_slashed
from headwater_model.ids import DatasetId, FieldPath
from headwater_model.operation_set import OperationSet
from headwater_model.operations import InputField, Operation, Read, Transform, Write

# Names of transforms without transformations: without inputs, and with unknown inputs.
GENERATED, UNKNOWN = "GENERATED", "UNKNOWN"


def derive_operations(reported: Mapping[DatasetId, ColumnLineage]) -> OperationSet:
    """Derive a read of each source dataset, a transform for each column, and a write to each reported destination.

    A transform is named by the subtypes of its transformations, direct ones first (`IDENTITY`; `AGGREGATION, FILTER`).
    The second of a name gets `#2`: pass only the requested columns, so that no other column changes their names. An
    unchanged column of the same name goes from the read straight to the write. A dependency on a dataset of unknown
    columns is no operation. A column without known sources is left out, because it is not generated.
    """
    columns = {
        Column(dataset, path): sources
        for dataset in sorted(reported)
        for path, sources in sorted(_known(reported[dataset]).items())
    }
    # Name the reads and the writes first: transforms refer to reads by name.
    names = _UniqueNames()
    reads = _reads(columns.values(), names)
    origins = {read.source: read.name for read in reads}
    destinations = dict.fromkeys(column.dataset for column in columns)
    writes = names.of_endpoints("write", list(destinations))
    transforms: list[Transform] = []
    written: dict[DatasetId, list[InputField]] = {destination: [] for destination in destinations}
    # An unchanged column needs no transform.
    for column, sources in columns.items():
        origin = _untouched(column, sources)
        if origin is None:
            transforms.append(_transform(column, sources, origins, names, reported[column.dataset].types))
        name = transforms[-1].name if origin is None else origins[origin.dataset]
        written[column.dataset].append(InputField(name, print_slashed(column.field)))
    ends = (Write(writes[destination], tuple(inputs), destination) for destination, inputs in written.items())
    operations: list[Operation] = [*reads, *transforms, *ends]
    return OperationSet(operations)


def _known(columns: ColumnLineage) -> dict[FieldPath, Sources]:
    """Map the columns with known sources to their sources."""
    known = {
        path: {source: how for source, how in sources.items() if source.field is not None}
        for path, sources in columns.fields.items()
    }
    return {path: sources for path, sources in known.items() if sources or not columns.fields[path]}


def _untouched(column: Column, sources: Sources) -> ColumnSource | None:
    """Find the source if the column is its column, unchanged and with the same name."""
    for source, transformations in sources.items():
        same = len(sources) == 1 and source.field == column.field and bool(transformations)
        return source if same and all(_is_identity(transformation) for transformation in transformations) else None
    return None


def _is_identity(transformation: Transformation) -> bool:
    return (transformation.type, transformation.subtype) == ("DIRECT", "IDENTITY") and not transformation.masking


def _reads(source_sets: Iterable[Sources], names: _UniqueNames) -> list[Read]:
    fields: dict[DatasetId, set[FieldPath]] = {}
    for source in {source for sources in source_sets for source in sources}:
        fields.setdefault(source.dataset, set()).add(source.field or ())
    called = names.of_endpoints("read", sorted(fields))
    return [Read(called[dataset], dataset, tuple(map(print_slashed, sorted(fields[dataset])))) for dataset in called]


def _transform(
    column: Column,
    sources: Sources,
    origins: Mapping[DatasetId, str],
    names: _UniqueNames,
    types: Mapping[FieldPath, str],
) -> Transform:
    transformations = in_order({transformation for how in sources.values() for transformation in how})
    subtypes = dict.fromkeys(transformation.subtype or transformation.type for transformation in transformations)
    name = names.unique(", ".join(subtypes) or (UNKNOWN if sources else GENERATED))
    inputs = (
        InputField(origins[source.dataset], print_slashed(source.field or ()))
        for source in sorted(sources, key=lambda source: source.order)
    )
    output = print_slashed(column.field)
    kind = types.get(column.field)
    return Transform(
        name, tuple(inputs), (output,), _description(transformations), () if kind is None else ((output, kind),)
    )


def _description(transformations: Sequence[Transformation]) -> str | None:
    """Join the descriptions of the transformations, with `masking` if any transformation masks."""
    descriptions = [transformation.description for transformation in transformations if transformation.description]
    masking = ["masking"] if any(transformation.masking for transformation in transformations) else []
    return "; ".join(dict.fromkeys(descriptions + masking)) or None


@dataclass(frozen=True, slots=True)
class _UniqueNames:
    """Names of operations, each given once."""

    _given: set[str] = field(default_factory=set)

    def unique(self, name: str) -> str:
        """Take the name, or the first free name of `name#2`, `name#3` ...."""
        given, more = name, 1
        while given in self._given:
            more += 1
            given = f"{name}#{more}"
        self._given.add(given)
        return given

    def of_endpoints(self, verb: str, endpoints: Sequence[DatasetId]) -> dict[DatasetId, str]:
        """Name operations at endpoints: the verb and, for several endpoints, the dataset's name."""
        alone = len(endpoints) == 1
        return {dataset: self.unique(verb if alone else f"{verb} {dataset.name}") for dataset in endpoints}
