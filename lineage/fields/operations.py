"""Operations on fields, as CDAP has them: a run reads fields from endpoints, transforms them, writes them to endpoints.

A field is identified by its origin (the operation that emitted it) and its name, for several operations may emit fields
of one name. Names of nested fields are paths with slashes (`employees/name`, see `paths`). An operation's name is
unique within its set. Pure: this module and all that it imports need nothing but the standard library, for the Spark
client records operations with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from lineage.names import DatasetId


@dataclass(frozen=True, order=True, slots=True)
class InputField:
    """A field as an operation takes it: the operation that emitted it, and its name."""

    origin: str
    name: str


@dataclass(frozen=True, slots=True)
class Read:
    """Fields read from an endpoint; `types` are those of some outputs, as (name, type).

    A description of the endpoint is for people: it is no part of the endpoint's identity.
    """

    name: str
    source: DatasetId
    outputs: tuple[str, ...]
    description: str | None = None
    types: tuple[tuple[str, str], ...] = ()
    source_description: str | None = None


@dataclass(frozen=True, slots=True)
class Transform:
    """Fields made of others, every output of all inputs; without outputs it drops them, without inputs it generates."""

    name: str
    inputs: tuple[InputField, ...]
    outputs: tuple[str, ...]
    description: str | None = None
    types: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Write:
    """Fields written to an endpoint, under the names that they have."""

    name: str
    inputs: tuple[InputField, ...]
    destination: DatasetId
    description: str | None = None
    destination_description: str | None = None


Operation: TypeAlias = Read | Transform | Write
