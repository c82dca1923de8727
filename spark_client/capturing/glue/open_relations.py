"""Columns of a frame by name; the frame may have more, as its sources have records, and no schema."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from headwater_model.columns import Transformation
from headwater_model.field_paths import parse_dotted
from headwater_model.ids import FieldPath
from spark_client.capturing.plans.values import NOTHING, Dependency, Value, get_field, keep, unknown

_NO_COLUMN = "DynamicFrame: a column that no step names"
Rest: TypeAlias = Callable[[str], "Value | None"]


@dataclass(frozen=True, slots=True)
class OpenRelation:
    """Columns of a DynamicFrame, and the columns that decide about its records.

    Attributes:
        fields: columns named by steps, in order; None is a missing column.
        rest: finds a column beyond `fields`; None where `fields` has all columns.
        rows: filters, joins and their like.
        typed: names of the columns with a single type, and no choice of several.
        is_declared: True if a catalog has the columns of `fields`; records may have more, but hardly do.
    """

    fields: Mapping[str, Value | None] = field(default_factory=dict)
    rest: Rest | None = None
    rows: frozenset[Dependency] = frozenset()
    typed: frozenset[str] = frozenset()
    is_declared: bool = False

    @property
    def is_open(self) -> bool:
        """True if it may have any column."""
        return self.rest is not None and not self.is_declared

    @property
    def columns(self) -> dict[str, Value] | None:
        """Columns in order; None if the frame is open."""
        return None if self.is_open else {name: value for name, value in self.fields.items() if value is not None}

    def named(self, name: str) -> Value | None:
        """Find a column of `fields`, by its name in any case; None if missing."""
        return self.fields.get(self._name_of(name) or "")

    def find(self, name: str) -> Value | None:
        """Find a column by its name in any case; None if missing."""
        known = self._name_of(name)
        if known is not None:
            return self.fields[known]
        return self.rest(name) if self.rest else None

    def _name_of(self, name: str) -> str | None:
        if name in self.fields:
            return name
        return next((known for known in self.fields if known.lower() == name.lower()), None)

    def get(self, name: str) -> Value:
        """Find a column of the frame; unknown if no step names it."""
        value = self.find(name)
        return unknown(_NO_COLUMN) if value is None else value

    def at(self, path: FieldPath) -> Value | None:
        """Find a field inside a column, by its path; None without such a column."""
        value = self.find(path[0])
        for name in path[1:] if value is not None else ():
            value = get_field(value, name)  # type: ignore[arg-type]
        return self.fields.get(".".join(path)) if value is None else value

    def known(self, paths: Iterable[str]) -> list[Value]:
        """List the values at dotted paths, without the missing paths."""
        return [value for path in paths if (value := self.at(parse_dotted(path))) is not None]


def closed(columns: Mapping[str, Value], rows: frozenset[Dependency] = frozenset()) -> OpenRelation:
    """Make the relation of a Spark frame: each column has a single type."""
    return OpenRelation(dict(columns), None, rows, frozenset(columns))


def opened(rest: Rest) -> OpenRelation:
    """Make a frame without columns known by name."""
    return OpenRelation(rest=rest)


def without(frame: OpenRelation, path: FieldPath) -> OpenRelation:
    """Drop a column, or a field of a column; a column of unknown fields stays whole."""
    name = path[0]
    if len(path) == 1 or ".".join(path) in frame.fields:
        name = ".".join(path)
        others = {known: value for known, value in frame.fields.items() if known.lower() != name.lower()}
        return replace(frame, fields={**others, name: None} if frame.rest else others, typed=frame.typed - {name})
    value = frame.find(name)
    if value is None or not value.fields:
        return frame
    return replace(frame, fields={**frame.fields, name: _prune(value, path[1:])})


def _prune(value: Value, path: FieldPath) -> Value:
    inside = value.fields.get(path[0])
    others = {name: kept for name, kept in value.fields.items() if name != path[0]}
    if inside is not None and len(path) > 1:
        return replace(value, fields={**value.fields, path[0]: _prune(inside, path[1:])})
    return replace(value, fields=others) if others or value.made_of else value


def keep_rest(rest: Rest | None, how: Transformation) -> Rest | None:
    """Wrap `rest` after a step: it finds the same columns, kept by `how`."""
    if rest is None:
        return None
    return lambda name: None if (value := rest(name)) is None else keep(how, value)


class Tree:
    """Builder of columns and fields inside them, beside the columns of a frame, or alone."""

    def __init__(self, frame: OpenRelation | None = None) -> None:
        self._frame = frame or OpenRelation()
        self._fields: dict[str, Value | None] = dict(frame.fields) if frame else {}
        self._typed = set(frame.typed) if frame else set()

    def put(self, path: FieldPath, value: Value, *, typed: bool) -> None:
        """Put a value at a path."""
        name = path[0]
        self._fields[name] = _put(self._fields.get(name), path[1:], value)
        if typed and len(path) == 1:
            self._typed.add(name)
        else:
            self._typed.discard(name)

    def relation(self, rows: frozenset[Dependency]) -> OpenRelation:
        """Make the relation of all columns, with the rest of the frame."""
        return replace(self._frame, fields=self._fields, rows=rows, typed=frozenset(self._typed))


def _put(around: Value | None, path: FieldPath, value: Value) -> Value:
    if not path:
        return value
    fields = dict(around.fields) if around else {}
    fields[path[0]] = _put(fields.get(path[0]), path[1:], value)
    return replace(around or NOTHING, fields=fields)
