"""Marks of types of JSON: members of their JSON Schema. Pydantic reads them for the document; no query imports it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic_core import CoreSchema

C = TypeVar("C", bound=type)


class Schema:
    """Members for the JSON Schema of a type: `Annotated[int, Schema(minimum=0)]`."""

    def __init__(self, **members: object) -> None:
        self._members = members

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> Mapping[str, object]:
        return {**handler(core), **self._members}


class _ByType:
    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic import Field

        return handler.generate_schema(Annotated[source, Field(discriminator="type")])


# The mark of a union whose members differ by their `type`.
BY_TYPE = _ByType()


def as_request(kind: C, **config: object) -> C:
    """Document a type's fields as a response's, but let requests hold further fields; `config` is Pydantic's."""
    kind.__pydantic_config__ = {"use_attribute_docstrings": True, **config}  # type: ignore[attr-defined]
    return kind
