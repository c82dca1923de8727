"""Models of facets about columns as they are sent: OpenLineage's `columnLineage` and `lineage`, and our own.

They cover all versions of `columnLineage` (1-0-0 to 1-2-0), and the `lineage` facet of jobs and datasets (1-0-0). Types
and names are strict; every field is optional. A dataset has a namespace and a name; a job or another entity among the
inputs needs no name. The content of a `_deleted` facet is ignored.
"""

from __future__ import annotations

import re
from typing import Annotated, TypeAlias, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, Strict, model_validator
from pydantic_core import PydanticCustomError
from typing_extensions import Self

from headwater.events.event import NAME_BYTES_MAX, NAMESPACE_CHARS_MAX, is_deleted
from headwater.times import parse_time
from headwater.validation import checked_text

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def checked_name(name: str) -> str:
    """Return the name if it is not blank and has at most `NAME_BYTES_MAX` bytes."""
    if not name.strip():
        raise PydanticCustomError("blank", "must not be blank")
    return checked_text(name, NAME_BYTES_MAX)


def _checked_job_name(name: str) -> str:
    """Return the name unless it holds control characters: it is printed in lists, ids and logs."""
    if _CONTROL.search(name):
        raise PydanticCustomError("control", "must not hold control characters")
    return name


def _checked_namespace(namespace: str) -> str:
    if not namespace.strip():
        raise PydanticCustomError("blank", "must not be blank")
    if len(namespace) > NAMESPACE_CHARS_MAX:
        raise PydanticCustomError("too_long", "must be at most {limit} characters", {"limit": NAMESPACE_CHARS_MAX})
    if _CONTROL.search(namespace):
        raise PydanticCustomError("control", "must not hold control characters")
    return checked_text(namespace, 4 * NAMESPACE_CHARS_MAX)


def _checked_time(text: str) -> str:
    try:
        return parse_time(text)
    except ValueError:
        raise PydanticCustomError("time", "must be an ISO 8601 date and time in the years 1 to 9999") from None


Text: TypeAlias = Annotated[str, Strict()]
Name: TypeAlias = Annotated[Text, AfterValidator(checked_name)]
JobName: TypeAlias = Annotated[Name, AfterValidator(_checked_job_name)]
Namespace: TypeAlias = Annotated[Text, AfterValidator(_checked_namespace)]
Time: TypeAlias = Annotated[Text, AfterValidator(_checked_time)]


class Model(BaseModel):
    """A JSON object whose fields may be null, as if they were not given."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _null_is_not_given(cls, sent: object) -> object:
        if not isinstance(sent, dict) or None not in sent.values():
            return sent
        return {name: value for name, value in sent.items() if value is not None}


class NamedModel(Model):
    """A job or a dataset by name."""

    namespace: Namespace
    name: Name


class NamedJobModel(NamedModel):
    """A job by name."""

    name: JobName


# The number of records that one lineage request may hold.
ROOTS_MAX = 10_000
# The service's bound on a root id: DynamoDB's on a partition key.
_ROOT_BYTES_MAX = 2048
_DATASET = "DATASET"
C = TypeVar("C")


def _checked_columns(columns: dict[str, C]) -> dict[str, C]:
    for name in columns:
        checked_name(name)
    return columns


def _checked_root(root_id: str) -> str:
    if not root_id:
        raise PydanticCustomError("empty", "must not be empty")
    return checked_text(root_id, _ROOT_BYTES_MAX)


# Pydantic checks keys as plain text here: its location of a faulty key is no path in the JSON.
ByColumn: TypeAlias = Annotated[dict[Text, C], AfterValidator(_checked_columns)]
RootId: TypeAlias = Annotated[Text, AfterValidator(_checked_root)]


class _Facet(Model):
    @model_validator(mode="before")
    @classmethod
    def _ignore_deleted(cls, sent: object) -> object:
        return {} if is_deleted(sent) else sent


class _Transformation(Model):
    type: Text
    subtype: Text | None = None
    description: Text | None = None
    masking: Annotated[bool, Strict()] | None = None


class _InputField(NamedModel):
    field: Name
    transformations: list[_Transformation] = Field(default_factory=list)


class _Column(Model):
    inputFields: list[_InputField] = Field(default_factory=list)  # noqa: N815 - the specification's spelling
    transformationDescription: Text | None = None  # noqa: N815 - the specification's spelling
    transformationType: Text | None = None  # noqa: N815 - the specification's spelling


class ColumnLineageFacet(_Facet):
    """An output's `columnLineage`."""

    fields_: ByColumn[_Column] = Field(default_factory=dict, alias="fields")
    dataset: list[_InputField] = Field(default_factory=list)


class _Entity(Model):
    """A dataset with a name, or another entity with or without a name."""

    type: Text
    namespace: Namespace | None = None
    name: Name | None = None

    @model_validator(mode="after")
    def _a_dataset_has_a_name(self) -> Self:
        if self.type == _DATASET and (self.namespace is None or self.name is None):
            raise PydanticCustomError("unnamed", "must have a namespace and a name, for it is a DATASET")
        return self


class _Input(_Entity):
    field: Name | None = None
    transformations: list[_Transformation] = Field(default_factory=list)


class _InputsOfColumn(Model):
    inputs: list[_Input] = Field(default_factory=list)


class DatasetLineageFacet(_Facet):
    """A dataset's `lineage`: the sources of the dataset and of each of its columns."""

    inputs: list[_Input] = Field(default_factory=list)
    fields_: ByColumn[_InputsOfColumn] = Field(default_factory=dict, alias="fields")


class _Entry(_Entity):
    inputs: list[_Input] = Field(default_factory=list)
    fields_: ByColumn[_InputsOfColumn] = Field(default_factory=dict, alias="fields")


class JobLineageFacet(_Facet):
    """A job's `lineage`: the sources of each of its outputs."""

    entries: list[_Entry] = Field(default_factory=list)


class _Tag(Model):
    key: Name
    value: Text | None = None
    source: Text | None = None
    field: Name | None = None


class TagsFacet(_Facet):
    """A job's, a run's or a dataset's `tags`; a tag with a `field` is that field's."""

    tags: list[_Tag] = Field(default_factory=list)


class _Owner(Model):
    name: Name
    type: Text | None = None


class OwnershipFacet(_Facet):
    """A job's or a dataset's `ownership`."""

    owners: list[_Owner] = Field(default_factory=list)


class RecordsFacet(_Facet):
    """The record roots that a run worked on, a facet of our own (docs/facets/headwater_records.json)."""

    rootIds: Annotated[list[RootId], Field(max_length=ROOTS_MAX)] = Field(default_factory=list)  # noqa: N815 - as facets are spelled
