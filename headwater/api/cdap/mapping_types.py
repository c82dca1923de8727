"""JSON of CDAP's designs, as types; a description marks our own fields."""

from typing import Annotated, TypeAlias

from typing_extensions import NotRequired, TypeAliasType, TypedDict

from headwater.api.schema import Schema

Seconds: TypeAlias = Annotated[int, Schema(description="Whole seconds since 1970 UTC.")]
FieldName: TypeAlias = Annotated[str, Schema(description="A path of names with slashes between them.")]
FieldType: TypeAlias = Annotated[
    str,
    Schema(description="Ours: as operations gave it, else by the current schema; absent where neither has it."),
]


class EndPoint(TypedDict):
    """A dataset at the edge of a field's lineage."""

    namespace: str
    name: str
    description: NotRequired[str]
    """The description by the newest run on the path; absent if the run gave none."""


_Pair = TypedDict("_Pair", {"from": FieldName, "fromType": NotRequired[FieldType], "toType": NotRequired[FieldType]})


class FieldPair(_Pair):
    """A pair of fields: a source, and a destination derived from it."""

    to: FieldName


class FieldMapping(TypedDict):
    """The fields of a source, with their destinations' fields."""

    source: EndPoint
    destination: EndPoint
    """Ours: the same, in regular spelling."""
    Destination: EndPoint
    fieldmap: list[FieldPair]
    """Empty if no run reported pairs of fields."""


FieldMappings = TypeAliasType("FieldMappings", list[FieldMapping])


class FieldNode(TypedDict):
    """A field at a point of its lineage."""

    id: str
    """`<operation>.<field>`: the field as an output of the operation."""
    label: FieldName
    type: NotRequired[FieldType]
    sourceEndPoint: NotRequired[EndPoint]
    """The endpoint of the read."""
    destinationEndPoint: NotRequired[EndPoint]
    """The endpoint of the write."""


_Connection = TypedDict("_Connection", {"from": str})


class FieldConnection(_Connection):
    """An operation from a node to a node."""

    to: str
    operation: str


class FieldOperation(TypedDict):
    """An operation by name."""

    name: str
    description: str | None


class FieldDetail(TypedDict):
    """Operations on a field, and the connected nodes."""

    nodes: list[FieldNode]
    operations: list[FieldOperation]
    connections: list[FieldConnection]


class PathOperation(TypedDict):
    """An operation of a path."""

    inputs: list[str]
    """Fields; for a read the word "source"."""
    outputs: list[str]
    name: str
    description: str | None
    source: NotRequired[EndPoint]
    """Ours: the endpoint of a read."""


_Edge = TypedDict("_Edge", {"from": FieldName, "fromType": NotRequired[FieldType]})


class FieldEdge(_Edge):
    """A source's field, and the field derived from it."""

    to: FieldName
    operations: list[str]
    """The operations between the two fields, in their order."""
    source: EndPoint
    """The endpoint of the field `from`."""


class PathEnd(TypedDict):
    """The end of a path, and its runs."""

    destination: NotRequired[
        Annotated[EndPoint, Schema(description="Ours: the field's endpoint, where a run described it.")]
    ]
    runs: Annotated[
        list[str],
        Schema(description="Runs on this path, newest first; of a run with parents the root's."),
    ]


class OperationsPath(PathEnd):
    """A path as its operations in their order."""

    operations: list[PathOperation]


class SimplePath(PathEnd):
    """A path as edges from source fields."""

    edges: list[FieldEdge]


class DetailedPath(PathEnd):
    """A path as nodes and edges, with every field between."""

    nodes: list[FieldNode]
    edges: list[FieldConnection]


Path: TypeAlias = OperationsPath | SimplePath | DetailedPath


class FieldPaths(TypedDict):
    """Paths to a field.

    Each path as its operations in their order; with `view=simple` as edges from source fields; with `view=detailed` as
    nodes and edges, with every field between.
    """

    fieldName: FieldName
    fieldType: NotRequired[FieldType]
    startTimeInSeconds: Seconds
    endTimeInSeconds: Seconds
    paths: list[Path]
