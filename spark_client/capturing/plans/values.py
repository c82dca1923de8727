"""Sources of a value in a plan, with their transformations; values are frozen, and shared where nothing changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from headwater_model.columns import ColumnSource, Transformation

# OpenLineage's kinds (column_lineage_facet.md); of direct kinds the stronger counts, of indirect kinds the last.
IDENTITY = Transformation("DIRECT", "IDENTITY", masking=False)
CHANGED = Transformation("DIRECT", "TRANSFORMATION", masking=False)
AGGREGATED = Transformation("DIRECT", "AGGREGATION", masking=False)
JOIN = Transformation("INDIRECT", "JOIN", masking=False)
GROUP_BY = Transformation("INDIRECT", "GROUP_BY", masking=False)
FILTER = Transformation("INDIRECT", "FILTER", masking=False)
SORT = Transformation("INDIRECT", "SORT", masking=False)
WINDOW = Transformation("INDIRECT", "WINDOW", masking=False)
CONDITIONAL = Transformation("INDIRECT", "CONDITIONAL", masking=False)
# Dependency of unknown kind, in a plan without the kinds of its expressions.
SOMEHOW = Transformation("DIRECT")
_STRENGTH = {"IDENTITY": 0, "TRANSFORMATION": 1, "AGGREGATION": 2, "UNKNOWN": 3, None: 4}


class Dependency(NamedTuple):
    """Source column of a value; `whole` if the value has the column's structure, for paths to its fields."""

    source: ColumnSource
    how: Transformation
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Value:
    """Value with its dependencies `made_of`, or for a struct (or an array of structs) made in the plan, its `fields`.

    `unknown` has the reasons for unknown sources.
    """

    made_of: frozenset[Dependency] = frozenset()
    fields: Mapping[str, Value] = field(default_factory=dict)
    unknown: frozenset[str] = frozenset()


NOTHING = Value()


def unknown(reason: str) -> Value:
    """Make a value with unknown sources, for a reason such as `LogicalRDD: made of an RDD`."""
    return Value(unknown=frozenset({reason}))


class TooLarge(Exception):
    """Plan with columns above the budget; the message has the limit."""


def faulty(kind: str, error: Exception) -> Value:
    """Make the unknown value of a node after an error in its rule; all columns without this node stay known."""
    return unknown(f"{kind}: its rule failed: {type(error).__name__}: {error}")


@lru_cache(4096)
def compose(outer: Transformation, inner: Transformation) -> Transformation:
    """Compose two transformations in a row; the outer transformation is nearer the output.

    >>> compose(AGGREGATED, CHANGED).subtype, compose(CHANGED, AGGREGATED).subtype, compose(CHANGED, FILTER).subtype
    ('AGGREGATION', 'AGGREGATION', 'FILTER')
    >>> compose(JOIN, FILTER).subtype
    'JOIN'
    """
    if outer.type == "INDIRECT" or (inner.type == "DIRECT" and _strength(outer) >= _strength(inner)):
        kind = outer
    else:
        kind = inner
    description = outer.description or inner.description
    masking = None if kind.masking is None else bool(outer.masking or inner.masking)
    return Transformation(kind.type, kind.subtype, description, masking)


def _strength(how: Transformation) -> int:
    return _STRENGTH.get(how.subtype, 1)


def flat(value: Value) -> Value:
    """Flatten a value: the sources of all its fields, without structure."""
    if not value.fields:
        return value
    parts = [Value(value.made_of, unknown=value.unknown), *map(flat, value.fields.values())]
    return Value(
        frozenset().union(*(part.made_of for part in parts)),
        unknown=frozenset().union(*(piece.unknown for piece in parts)),
    )


def keep(how: Transformation, value: Value) -> Value:
    """Transform a value with its structure kept: its fields, and their paths."""
    if how == IDENTITY:
        return value
    return mapped(
        value, lambda dependency: Dependency(dependency.source, compose(how, dependency.how), dependency.whole)
    )


def change(how: Transformation, values: Iterable[Value]) -> Value:
    """Transform values into a single value without structure."""
    dependencies: set[Dependency] = set()
    reasons: set[str] = set()
    for value in values:
        bare = flat(value)
        dependencies.update(
            [Dependency(dependency.source, compose(how, dependency.how), False) for dependency in bare.made_of]
        )
        reasons |= bare.unknown
    return Value(frozenset(dependencies), unknown=frozenset(reasons)) if dependencies or reasons else NOTHING


def merge_values(values: Iterable[Value]) -> Value:
    """Merge alternatives: the value may be any of the values, unchanged."""
    different = list({id(value): value for value in values if value != NOTHING}.values())
    if len(different) < 2:
        return different[0] if different else NOTHING
    names = list(dict.fromkeys(name for value in different for name in value.fields))
    fields = {name: merge_values(get_field(value, name) for value in different) for name in names}
    # A column without fields of its own, beside structs: its sources stand in the merged fields.
    bare = [value for value in different if not (names and value.made_of and not value.fields)]
    return Value(
        frozenset().union(*(value.made_of for value in bare)),
        fields,
        frozenset().union(*(value.unknown for value in different)),
    )


def decided_by(value: Value, deciding: Value) -> Value:
    """Add deciding dependencies to a value, or to each field of a struct."""
    if deciding == NOTHING:
        return value
    if value.fields and not value.made_of:
        return Value(
            fields={name: decided_by(field, deciding) for name, field in value.fields.items()}, unknown=value.unknown
        )
    return Value(value.made_of | deciding.made_of, value.fields, value.unknown | deciding.unknown)


def get_field(value: Value, name: str) -> Value:
    """Find a field of a struct, or of the structs in an array."""
    if value.fields:
        in_any_case = (field for known, field in value.fields.items() if known.lower() == name.lower())
        member = value.fields.get(name) or next(in_any_case, None)
        if member is not None:
            return member
    return mapped(Value(value.made_of, unknown=value.unknown), lambda dependency: _step(dependency, name))


def named_as(model: Value, value: Value) -> Value:
    """Rename the fields by the model's fields, by position, as in Spark's union of structs."""
    if not model.fields or len(model.fields) != len(value.fields):
        return value
    pairs = zip(model.fields.items(), value.fields.values(), strict=True)
    return Value(value.made_of, {name: named_as(inner, field) for (name, inner), field in pairs}, value.unknown)


def _step(dependency: Dependency, name: str) -> Dependency:
    path = dependency.source.field
    if not dependency.whole or path is None:
        return dependency
    return Dependency(ColumnSource(dependency.source.dataset, (*path, name)), dependency.how)


def mapped(value: Value, each: Callable[[Dependency], Dependency]) -> Value:
    """Map each dependency of a value and its fields."""
    return Value(
        frozenset(map(each, value.made_of)),
        {name: mapped(inner, each) for name, inner in value.fields.items()},
        value.unknown,
    )
