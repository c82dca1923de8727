"""What OpenLineage's facets tell of columns, as operations: so they answer CDAP's questions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from lineage_model.columns import Column, ColumnLineage, ColumnSource, Sources, Transformation, in_order
from lineage_model.field_paths import print_slashed
from lineage_model.ids import DatasetId, FieldPath
from lineage_model.operation_set import OperationSet
from lineage_model.operations import InputField, Operation, Read, Transform, Write

# What transforms are called that no transformation names: those that took nothing, and those of which nothing is told.
GENERATED, UNKNOWN = "GENERATED", "UNKNOWN"


def derive_operations(told: Mapping[DatasetId, ColumnLineage]) -> OperationSet:
    """A read of each source dataset, a transform of each column, a write of each destination that `told` tells of.

    A transform is named by the subtypes of its transformations, direct ones first (`IDENTITY`; `AGGREGATION, FILTER`),
    the second of a name `#2`: give the columns alone that are asked about, and no other columns are in their names. A
    column that is an equally named one, unchanged, goes from the read straight to the write. A dependency on a dataset
    of which nobody told the column is no operation; a column that has no others is left out, for it is not generated.
    """
    columns = {
        Column(dataset, path): sources
        for dataset in sorted(told)
        for path, sources in sorted(_known(told[dataset]).items())
    }
    names = _Names()
    reads = _reads(columns.values(), names)
    origins = {read.source: read.name for read in reads}
    destinations = dict.fromkeys(column.dataset for column in columns)
    writes = names.of_endpoints("write", list(destinations))
    transforms: list[Transform] = []
    written: dict[DatasetId, list[InputField]] = {destination: [] for destination in destinations}
    for column, sources in columns.items():
        origin = _untouched(column, sources)
        if origin is None:
            transforms.append(_transform(column, sources, origins, names, told[column.dataset].types))
        name = transforms[-1].name if origin is None else origins[origin.dataset]
        written[column.dataset].append(InputField(name, print_slashed(column.field)))
    ends = (Write(writes[destination], tuple(inputs), destination) for destination, inputs in written.items())
    operations: list[Operation] = [*reads, *transforms, *ends]
    return OperationSet(operations)


def _known(columns: ColumnLineage) -> dict[FieldPath, Sources]:
    """The columns of which is known what they are made of, and that."""
    known = {
        path: {source: told for source, told in sources.items() if source.field is not None}
        for path, sources in columns.fields.items()
    }
    return {path: sources for path, sources in known.items() if sources or not columns.fields[path]}


def _untouched(column: Column, sources: Sources) -> ColumnSource | None:
    """The column that this one is, unchanged, if it has its name."""
    for source, told in sources.items():
        same = len(sources) == 1 and source.field == column.field and bool(told)
        return source if same and all(_is_identity(one) for one in told) else None
    return None


def _is_identity(one: Transformation) -> bool:
    return (one.type, one.subtype) == ("DIRECT", "IDENTITY") and not one.masking


def _reads(every: Iterable[Sources], names: _Names) -> list[Read]:
    fields: dict[DatasetId, set[FieldPath]] = {}
    for source in {source for sources in every for source in sources}:
        fields.setdefault(source.dataset, set()).add(source.field or ())
    called = names.of_endpoints("read", sorted(fields))
    return [Read(called[one], one, tuple(map(print_slashed, sorted(fields[one])))) for one in called]


def _transform(
    column: Column, sources: Sources, origins: Mapping[DatasetId, str], names: _Names, types: Mapping[FieldPath, str]
) -> Transform:
    every = in_order({one for told in sources.values() for one in told})
    subtypes = dict.fromkeys(one.subtype or one.type for one in every)
    name = names.unique(", ".join(subtypes) or (UNKNOWN if sources else GENERATED))
    inputs = (
        InputField(origins[source.dataset], print_slashed(source.field or ()))
        for source in sorted(sources, key=lambda source: source.order)
    )
    output = print_slashed(column.field)
    kind = types.get(column.field)
    return Transform(name, tuple(inputs), (output,), _description(every), () if kind is None else ((output, kind),))


def _description(every: Sequence[Transformation]) -> str | None:
    """What the transformations say, and whether one of them masks."""
    said = [one.description for one in every if one.description]
    masking = ["masking"] if any(one.masking for one in every) else []
    return "; ".join(dict.fromkeys(said + masking)) or None


@dataclass(frozen=True, slots=True)
class _Names:
    """Names of operations, each given once."""

    _given: set[str] = field(default_factory=set)

    def unique(self, name: str) -> str:
        """The name, or if it was given the next of `name#2`, `name#3` that was not."""
        given, more = name, 1
        while given in self._given:
            more += 1
            given = f"{name}#{more}"
        self._given.add(given)
        return given

    def of_endpoints(self, verb: str, endpoints: Sequence[DatasetId]) -> dict[DatasetId, str]:
        """What operations at endpoints are called: the verb, and if there are several also what they read or write."""
        alone = len(endpoints) == 1
        return {one: self.unique(verb if alone else f"{verb} {one.name}") for one in endpoints}
