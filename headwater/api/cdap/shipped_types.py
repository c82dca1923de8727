"""JSON of the routes that CDAP itself has, as types.

They are written as `headwater.api.types` describes. What CDAP leaves out is left out here, too.
"""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field
from typing_extensions import NotRequired, TypeAliasType, TypedDict

from headwater.api.cdap.design_types import EndPoint, FieldName, Seconds

Milliseconds: TypeAlias = Annotated[int, Field(description="Whole milliseconds since 1970 UTC.")]


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
    """`Workflow` for the job at the root of the runs, if these are rolled up; CDAP's clients know no other words."""
    program: str
    entity: Literal["PROGRAM"]


class LineageField(TypedDict):
    """A field of a dataset."""

    name: FieldName
    lineage: bool
    """False if the dataset's current schema alone has the field."""


LineageFields = TypeAliasType("LineageFields", list[FieldName] | list[LineageField])


class RelatedFields(TypedDict):
    """Fields of a dataset; one that is null and of no dataset says that the field was dropped."""

    dataset: NotRequired[DatasetEntity]
    fields: list[FieldName | None]


class FieldSummary(TypedDict):
    """The fields that a field was made of, and those made of it; the side that was not requested is absent."""

    incoming: NotRequired[list[RelatedFields]]
    outgoing: NotRequired[list[RelatedFields]]


class InputField(TypedDict):
    """A field that an operation takes."""

    origin: str
    """The operation that emitted it, which may be none of the response."""
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
    """A program and its newest run that did the operations."""

    program: ProgramEntity
    lastExecutedTimeInSeconds: NotRequired[Annotated[int, Field(description="The start of the run.")]]
    """Absent where the caller may not see the run."""


class ProgramOperations(TypedDict):
    """Operations in the order of execution."""

    operations: list[WholeOperation]
    programs: list[ProgramRun]
    """The last started first; nothing if a DatasetEvent alone declares it."""


class FieldOperations(TypedDict):
    """The distinct sets of operations on a field, the newest first; the side that was not requested is absent."""

    incoming: NotRequired[list[ProgramOperations]]
    outgoing: NotRequired[list[ProgramOperations]]


class FieldRelation(TypedDict):
    """A field that went into another; without a destination, one that was dropped."""

    source: FieldName
    destination: NotRequired[FieldName]


class DatasetRelations(TypedDict):
    """The relations of the fields of a dataset to those of another; of no dataset, those that were dropped."""

    entityId: NotRequired[DatasetEntity]
    fieldCount: int
    """The number of the other dataset's fields that have lineage; where the caller may not see them, of those here."""
    relations: list[FieldRelation]


_Requested = TypedDict("_Requested", {"start-ts": Milliseconds, "end-ts": Milliseconds, "entityId": DatasetEntity})


class DatasetFieldLineage(_Requested):
    """The relations of all fields of a dataset, one hop away."""

    direction: Literal["INCOMING", "OUTGOING", "BOTH"]
    fields: list[FieldName]
    """Those with lineage, and those of the current schema."""
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
    """Nothing where the caller may not see them."""
    components: list[str]
    """Nothing: jobs have no components."""


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
