"""JSON of CDAP's own routes and of its designs, as types; a description marks our own fields.

Their form is described in `headwater.api.types`. Members left out by CDAP are left out here, too.
"""

from typing import Annotated, Literal, TypeAlias

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


Milliseconds: TypeAlias = Annotated[int, Schema(description="Whole milliseconds since 1970 UTC.")]


class DatasetEntity(TypedDict):
    """A dataset, as CDAP names it."""

    namespace: str
    dataset: str
    entity: Literal["DATASET"]


class ProgramEntity(TypedDict):
    """A job, as CDAP names a program."""

    namespace: str
    application: str
    """The name of the job; it has no application."""
    version: Literal["-SNAPSHOT"]
    type: Literal["Spark", "Workflow"]
    """`Workflow` for the job at the root of rolled up runs; CDAP's clients know no further words."""
    program: str
    entity: Literal["PROGRAM"]


class LineageField(TypedDict):
    """A field of a dataset."""

    name: FieldName
    lineage: bool
    """False if the dataset's current schema alone has the field."""


LineageFields = TypeAliasType("LineageFields", list[FieldName] | list[LineageField])


class RelatedFields(TypedDict):
    """Fields of a dataset; null, of no dataset, stands for a dropped field."""

    dataset: NotRequired[DatasetEntity]
    fields: list[FieldName | None]


class FieldSummary(TypedDict):
    """The sources and the destinations of a field; a side without a request is absent."""

    incoming: NotRequired[list[RelatedFields]]
    outgoing: NotRequired[list[RelatedFields]]


class InputField(TypedDict):
    """An input of an operation."""

    origin: str
    """The operation that emitted it, perhaps outside the response."""
    name: FieldName


class OperationInputs(TypedDict):
    """An endpoint, of a read, or else fields."""

    endPoint: NotRequired[EndPoint]
    fields: NotRequired[list[InputField]]


class OperationOutputs(TypedDict):
    """An endpoint, of a write, or else fields."""

    endPoint: NotRequired[EndPoint]
    fields: NotRequired[list[FieldName]]


class WholeOperation(TypedDict):
    """An operation with all its inputs and outputs."""

    name: str
    description: NotRequired[str]
    inputs: OperationInputs
    outputs: OperationOutputs


class ProgramRun(TypedDict):
    """A program and its newest run with the operations."""

    program: ProgramEntity
    lastExecutedTimeInSeconds: NotRequired[int]
    """The start of the run."""


class ProgramOperations(TypedDict):
    """Operations in the order of execution."""

    operations: list[WholeOperation]
    programs: list[ProgramRun]
    """The last started first; empty if a DatasetEvent alone declares them."""


class FieldOperations(TypedDict):
    """The distinct sets of operations on a field, the newest first; a side without a request is absent."""

    incoming: NotRequired[list[ProgramOperations]]
    outgoing: NotRequired[list[ProgramOperations]]


class FieldRelation(TypedDict):
    """A field and its destination; a dropped field has no destination."""

    source: FieldName
    destination: NotRequired[FieldName]


class DatasetRelations(TypedDict):
    """The relations of a dataset's fields to a neighbour's; of no dataset, its dropped fields."""

    entityId: NotRequired[DatasetEntity]
    fieldCount: int
    """The number of the neighbour's fields with lineage; of hidden fields, the number in the response."""
    relations: list[FieldRelation]


_Requested = TypedDict("_Requested", {"start-ts": Milliseconds, "end-ts": Milliseconds, "entityId": DatasetEntity})


class DatasetFieldLineage(_Requested):
    """The relations of all fields of a dataset, one hop away."""

    direction: Literal["INCOMING", "OUTGOING", "BOTH"]
    fields: list[FieldName]
    """The fields with lineage, and of the current schema."""
    incoming: list[DatasetRelations]
    outgoing: list[DatasetRelations]


class AccessRelation(TypedDict):
    """The accesses of a program's runs to a dataset."""

    data: str
    """A key of `data`."""
    program: str
    """A key of `programs`."""
    accesses: list[Literal["read", "write"]]
    runs: list[str]
    """Empty if the caller may not see them."""
    components: list[str]
    """Empty: jobs have no components."""


class DataRecord(TypedDict):
    """A dataset of a relation."""

    entityId: DatasetEntity


class ProgramRecord(TypedDict):
    """A program of a relation."""

    entityId: ProgramEntity


class DatasetLineage(TypedDict):
    """The accesses of programs to the datasets around a dataset."""

    start: Seconds
    end: Seconds
    relations: list[AccessRelation]
    data: dict[str, DataRecord]
    programs: dict[str, ProgramRecord]
