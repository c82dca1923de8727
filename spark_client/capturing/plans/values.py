"""What a value in a plan is made of, and how that changes on its way: pure, and shared wherever nothing changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from lineage_model.columns import Source, Transformation

# OpenLineage's kinds (column_lineage_facet.md); of direct ones the stronger counts, of indirect ones the last.
IDENTITY = Transformation("DIRECT", "IDENTITY", masking=False)
CHANGED = Transformation("DIRECT", "TRANSFORMATION", masking=False)
AGGREGATED = Transformation("DIRECT", "AGGREGATION", masking=False)
JOIN = Transformation("INDIRECT", "JOIN", masking=False)
GROUP_BY = Transformation("INDIRECT", "GROUP_BY", masking=False)
FILTER = Transformation("INDIRECT", "FILTER", masking=False)
SORT = Transformation("INDIRECT", "SORT", masking=False)
WINDOW = Transformation("INDIRECT", "WINDOW", masking=False)
CONDITIONAL = Transformation("INDIRECT", "CONDITIONAL", masking=False)
# Of what was read without its expressions: that it depends, not how.
SOMEHOW = Transformation("DIRECT")
_STRENGTH = {"IDENTITY": 0, "TRANSFORMATION": 1, "AGGREGATION": 2, "UNKNOWN": 3, None: 4}


class Dependency(NamedTuple):
    """A column that a value depends on; `whole` if the value has the column's structure, so that fields have paths."""

    source: Source
    how: Transformation
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Value:
    """What a value is made of: of `made_of`, or of `fields` if it is a struct (or holds structs) that the plan makes.

    `unknown` says what nothing is known of that went into it.
    """

    made_of: frozenset[Dependency] = frozenset()
    fields: Mapping[str, Value] = field(default_factory=dict)
    unknown: frozenset[str] = frozenset()


NOTHING = Value()


def unknown(reason: str) -> Value:
    """A value of which nothing is known."""
    return Value(unknown=frozenset({reason}))


@lru_cache(4096)
def compose(outer: Transformation, inner: Transformation) -> Transformation:
    """How a thing depends on another through a third: the outer is nearer the output.

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
    """The value without its structure: all that any field of it is made of."""
    if not value.fields:
        return value
    parts = [Value(value.made_of, unknown=value.unknown), *map(flat, value.fields.values())]
    return Value(
        frozenset().union(*(part.made_of for part in parts)), unknown=frozenset().union(*(one.unknown for one in parts))
    )


def keep(how: Transformation, value: Value) -> Value:
    """The value after something that keeps its structure: its fields are still there, and their paths."""
    if how == IDENTITY:
        return value
    return mapped(value, lambda one: Dependency(one.source, compose(how, one.how), one.whole))


def change(how: Transformation, values: Iterable[Value]) -> Value:
    """What something that leaves no structure makes of values."""
    made: set[Dependency] = set()
    reasons: set[str] = set()
    for value in values:
        bare = flat(value)
        made.update([Dependency(one.source, compose(how, one.how), False) for one in bare.made_of])
        reasons |= bare.unknown
    return Value(frozenset(made), unknown=frozenset(reasons)) if made or reasons else NOTHING


def unite(values: Iterable[Value]) -> Value:
    """A value that may be any of these, each as it is."""
    different = list({id(value): value for value in values if value != NOTHING}.values())
    if len(different) < 2:
        return different[0] if different else NOTHING
    names = list(dict.fromkeys(name for value in different for name in value.fields))
    fields = {name: unite(get_field(value, name) for value in different) for name in names}
    bare = [value for value in different if not (names and value.made_of and not value.fields)]
    return Value(
        frozenset().union(*(value.made_of for value in bare)),
        fields,
        frozenset().union(*(value.unknown for value in different)),
    )


def beside(value: Value, deciding: Value) -> Value:
    """A value, and what decides about it; where the value is a struct, about each of its fields."""
    if deciding == NOTHING:
        return value
    if value.fields and not value.made_of:
        return Value(
            fields={name: beside(field, deciding) for name, field in value.fields.items()}, unknown=value.unknown
        )
    return Value(value.made_of | deciding.made_of, value.fields, value.unknown | deciding.unknown)


def get_field(value: Value, name: str) -> Value:
    """A field of a struct, or of the structs in an array."""
    if value.fields:
        found = value.fields.get(name) or _any_case(value.fields, name)
        if found is not None:
            return found
    return mapped(Value(value.made_of, unknown=value.unknown), lambda one: _step(one, name))


def named_as(model: Value, value: Value) -> Value:
    """The value with the names of the model's fields, by their places: so Spark puts structs under one another."""
    if not model.fields or len(model.fields) != len(value.fields):
        return value
    pairs = zip(model.fields.items(), value.fields.values(), strict=True)
    return Value(value.made_of, {name: named_as(inner, field) for (name, inner), field in pairs}, value.unknown)


def _any_case(fields: Mapping[str, Value], name: str) -> Value | None:
    return next((value for known, value in fields.items() if known.lower() == name.lower()), None)


def _step(one: Dependency, name: str) -> Dependency:
    path = one.source.field
    if not one.whole or path is None:
        return one
    return Dependency(Source(one.source.dataset, (*path, name)), one.how)


def mapped(value: Value, each: Callable[[Dependency], Dependency]) -> Value:
    """The value with each dependency made another."""
    return Value(
        frozenset(map(each, value.made_of)),
        {name: mapped(inner, each) for name, inner in value.fields.items()},
        value.unknown,
    )
